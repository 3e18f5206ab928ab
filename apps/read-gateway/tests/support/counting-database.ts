import type { Database } from '@crm/db';

/** A database that remembers the statements on records that went through it. */
export interface CountingDatabase {
  readonly database: Database;
  /** The statements on opportunities, accounts, contacts, notes or events since the last call. */
  takeRecordStatements(): readonly string[];
}

const onRecords =
  /\b(FROM|JOIN|UPDATE|INTO)\s+(opportunities|opportunity_contacts|accounts|contacts|notes|note_\w+|events)\b/;

/** Counts what a gateway on the returned database asks about records; keys and set-up are no records. */
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
