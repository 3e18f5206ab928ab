import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { functionsDigest, release } from '../generated/expected-schema.js';
import { repeatFunctions } from './repeat-functions.js';

/** The folder is next to `packages/`, both in images and in the repository. */
const migrationsFolder = fileURLToPath(new URL('../../../../prisma/migrations/', import.meta.url));

/** One step of the schema's history. */
export interface Migration {
  /** Such as `0001_init`. Migrations are applied in the order of their names. */
  readonly name: string;
  readonly sql: string;
}

/** All migrations of a folder, in order. */
export const readMigrations = async (folder = migrationsFolder): Promise<Migration[]> => {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => ({ name, sql: await readFile(join(folder, name, 'migration.sql'), 'utf8') })),
  );
};

const functionsFolder = fileURLToPath(new URL('../../sql/functions/', import.meta.url));

/** The write functions of this version. */
export interface FunctionSources {
  /** The statements of all files of `sql/functions`, in the order of their names. */
  readonly sql: string;
  /** Changes whenever the statements change. `scripts/generate.mjs` computes it, for the gateways too. */
  readonly digest: string;
  /** The version of the program that they belong to, such as `1.2.0`. */
  readonly release: string;
}

/** A file of `sql/functions`. */
export interface FunctionFile {
  readonly name: string;
  /** The statements that it stands for. */
  readonly sql: string;
}

/** The files of `sql/functions` in the order of their names. */
export const readFunctionFiles = async (): Promise<FunctionFile[]> => {
  const names = (await readdir(functionsFolder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => ({ name, sql: repeatFunctions(await readFile(join(functionsFolder, name), 'utf8')) })),
  );
};

/** Reads the source of the write functions. */
export const readFunctions = async (): Promise<FunctionSources> => {
  const files = await readFunctionFiles();
  return { sql: files.map(({ sql }) => sql).join('\n'), digest: functionsDigest, release };
};
