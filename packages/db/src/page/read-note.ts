import type { Queries } from '../database.js';
import { readMarkText } from '../read-mark.js';
import { noteRecordSql } from './list-notes.js';

/** One note as the database returns it. */
export interface NoteText {
  /** The note as JSON text. */
  readonly record: string;
  readonly version: number;
  /** The state that a replica must have reached to return the same; null unless requested. */
  readonly readMark: string | null;
}

/** Reads one note by its id. Returns null if the organization has no such note. Set `isMarked` only on the primary. */
export const readNote = async (
  database: Queries,
  { organizationId, id, isMarked = false }: { organizationId: string; id: string; isMarked?: boolean },
): Promise<NoteText | null> => {
  const text = `
    SELECT ${noteRecordSql} AS record, n.version, ${isMarked ? 'read_mark()' : 'NULL'} AS "readMark"
      FROM notes n WHERE n.organization_id = $1 AND n.id = $2`;
  const statement = { text, values: [id] };
  const [row] = await database.query<NoteText & Record<string, unknown>>(organizationId, statement);
  if (row === undefined) return null;
  return { ...row, readMark: row.readMark === null ? null : readMarkText(row.readMark) };
};
