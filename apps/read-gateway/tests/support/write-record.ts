import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, runWrite, type Write } from '@crm/db';

/** Records of the same millisecond sort in random order, so the next write waits for a later one. */
const pauseMs = 3;

/** Writes a record as the inbound gateway does, older than all that are written after it. @returns its id */
export const writeRecord = async (
  database: Database,
  organizationId: string,
  write: Write<{ readonly id: string }>,
): Promise<string> => {
  const { result } = await runWrite(database, organizationId, write, null);
  await sleep(pauseMs);
  return result.id;
};
