import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { release } from '../generated/expected-schema.js';

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
  /** SHA-256 of the files, in hexadecimal. */
  readonly digest: string;
  /** The version of the program that they belong to, such as `1.2.0`. */
  readonly release: string;
}

const repeatedFunction = /((?:^-- FOR .+\n)+)(CREATE OR REPLACE FUNCTION [^]*?^\$\$;$)/gm;

/** `{name}` becomes the value of the name, and `{n.columns}` becomes `n.domain, n.name` if `columns` is `domain,name`. */
const fillIn = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(/\{(\w+\.)?(\w+)\}/g, (braces, prefix: string | undefined, name: string) => {
    const value = values.get(name);
    return value === undefined
      ? braces
      : value
          .split(',')
          .map((part) => `${prefix ?? ''}${part}`)
          .join(', ');
  });

/**
 * Repeats a function for each line above it that starts with `-- FOR`, with the values of the line for the names in braces:
 *
 *     -- FOR object=account objects=accounts
 *     CREATE OR REPLACE FUNCTION read_{object}(p_id uuid) RETURNS {objects} …
 */
const repeatFunctions = (source: string): string =>
  source.replace(repeatedFunction, (_all, lines: string, text: string) => {
    const each = [...lines.matchAll(/^-- FOR (.+)$/gm)].map(([, values = '']) =>
      fillIn(text, new Map([...values.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]))),
    );
    return each.join('\n\n');
  });

/** The files of `sql/functions` in the order of their names, and the statements that they stand for. */
export const readFunctionFiles = async () => {
  const names = (await readdir(functionsFolder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const source = await readFile(join(functionsFolder, name), 'utf8');
      return { name, source, sql: repeatFunctions(source) };
    }),
  );
};

/** Reads the source of the write functions. */
export const readFunctions = async (): Promise<FunctionSources> => {
  const files = await readFunctionFiles();
  const source = files.map((file) => file.source).join('\n');
  const digest = createHash('sha256').update(source).digest('hex');
  return { sql: files.map(({ sql }) => sql).join('\n'), digest, release };
};
