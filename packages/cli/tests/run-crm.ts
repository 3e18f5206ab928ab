import { Writable } from 'node:stream';

import { runCli } from '../src/program.js';
import { expectReleasedJson } from './support/printed-json.js';

/** The result of a command line. */
export interface CrmResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process. `interrupt` has the effect of Ctrl-C. */
export const runCrm = async (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  interrupt: AbortSignal = new AbortController().signal,
): Promise<CrmResult> => {
  const stdout = new Collector();
  const stderr = new Collector();
  const exitCode = await runCli(args, { env, stdout, stderr, onInterrupt: () => interrupt });
  // What crm explain prints describes internals, which may change. Responses of the API have a document of their own.
  const isOwn = !['explain', 'api', 'get', 'search', 'create', 'update'].includes(args[0] ?? '');
  if (args.includes('--json') && isOwn) await expectReleasedJson(args, stdout.text);
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
};

class Collector extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}
