import type { Database } from '@crm/db';

/** A database that records the statements on records that pass through it. */
export interface CountingDatabase {
  readonly database: Database;
  /** The statements on opportunities, accounts, contacts, notes or events since the last call. */
  takeRecordStatements(): readonly string[];
}

const onRecords =
  /\b(FROM|JOIN|UPDATE|INTO)\s+(opportunities|opportunity_contacts|accounts|contacts|notes|note_\w+|events)\b/;

/** Counts the statements of a gateway on records. Keys and setup do not count as records. */
export const countingDatabase = (database: Database): CountingDatabase => {
  let statements: string[] = [];
  return {
    database: {
      ...database,
      query: (organizationId, statement) => {
        if (onRecords.test(statement.text)) statements.push(statement.text);
        return database.query(organizationId, statement);
      },
    },
    takeRecordStatements: () => {
      const taken = statements;
      statements = [];
      return taken;
    },
  };
};
