import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/**
 * Makes the `Idempotency-Key` of each note of a file, of the digest of the file and the line: the same file sent again gives
 * the same keys, equal notes on two lines or in two files give different ones.
 */
export const noteKeys = async (file: string): Promise<(line: number) => string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const digest = hash.digest('hex');
  return (line) => `import-${digest}-${line}`;
};
