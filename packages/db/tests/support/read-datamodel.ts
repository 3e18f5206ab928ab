import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DMMF } from '@prisma/generator-helper';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));
const prismaCommand = fileURLToPath(new URL('../../../../node_modules/.bin/prisma', import.meta.url));
const generator = fileURLToPath(new URL('datamodel-generator.mjs', import.meta.url));

/**
 * Parses a schema with `prisma generate` and our own generator, which receives the models, fields and indexes from Prisma.
 *
 * @param schema - the text of a `schema.prisma`
 */
export const readDatamodel = async (schema: string): Promise<DMMF.Datamodel> => {
  const folder = await mkdtemp(join(tmpdir(), 'crm-datamodel-'));
  const [schemaFile, output] = [join(folder, 'schema.prisma'), join(folder, 'datamodel.json')];
  const block = `generator datamodel {\n  provider = "node ${generator}"\n  output = "${output}"\n}\n`;
  try {
    await writeFile(schemaFile, `${schema}\n${block}`);
    await promisify(execFile)(prismaCommand, ['generate', '--schema', schemaFile, '--generator', 'datamodel'], {
      cwd: packageFolder,
      // As in scripts/generate.mjs: otherwise the command downloads an engine that it does not use.
      env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' },
    });
    return JSON.parse(await readFile(output, 'utf8')) as DMMF.Datamodel;
  } finally {
    await rm(folder, { recursive: true });
  }
};
