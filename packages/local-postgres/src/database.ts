import pg from 'pg';

import { HOST } from './ports.js';

export interface DatabaseOptions {
  port: number;
  user: string;
  password: string;
  database: string;
}

/** The address of a database on the local server, with every part escaped. */
export function databaseUrl({ port, user, password, database }: DatabaseOptions): string {
  const [userPart, passwordPart, databasePart] = [user, password, database].map(encodeURIComponent);
  return `postgresql://${userPart}:${passwordPart}@${HOST}:${port}/${databasePart}`;
}

/** Creates the database if it is absent. Two calls at the same time are safe. @throws if the password is wrong */
export async function ensureDatabase(options: DatabaseOptions): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl({ ...options, database: 'postgres' }) });
  // Without a listener, a lost connection would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [options.database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(options.database)}`);
  } catch (error) {
    const code = (error as pg.DatabaseError).code;
    if (code === DUPLICATE_DATABASE || code === UNIQUE_VIOLATION) return;
    if (code !== INVALID_PASSWORD) throw error;
    throw new Error(`the local PostgreSQL was made with another password for the user "${options.user}"`, {
      cause: error,
    });
  } finally {
    await client.end();
  }
}

const DUPLICATE_DATABASE = '42P04';
const UNIQUE_VIOLATION = '23505';
const INVALID_PASSWORD = '28P01';
