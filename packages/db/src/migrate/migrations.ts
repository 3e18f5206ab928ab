import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the schema and its history; it travels with the package, beside `packages/`. */
export const prismaFolder = fileURLToPath(new URL('../../../../prisma/', import.meta.url));

/** One step of the schema's history. */
export interface Migration {
  /** `20261121000000_tables`: the steps' order is that of their names. */
  readonly name: string;
  readonly sql: string;
}

/** The text of `schema.prisma`. */
export const readSchema = (): Promise<string> => readFile(join(prismaFolder, 'schema.prisma'), 'utf8');

/** All migrations of a folder, in order. */
export const readMigrations = async (folder = join(prismaFolder, 'migrations')): Promise<Migration[]> => {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => ({ name, sql: await readFile(join(folder, name, 'migration.sql'), 'utf8') })),
  );
};
