import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { ifThere, usageError } from '../../errors.js';
import type { ExportObject } from '../targets.js';

/** The files of `crm export all`. */
export interface ExportFolder {
  readonly directory: string;
  readonly setup: string;
  /** In the order of an import: each record comes after those that it refers to. */
  readonly files: readonly { readonly object: ExportObject; readonly path: string }[];
}

const inOrder = ['accounts', 'contacts', 'opportunities', 'notes'] as const;

/** Finds the files of an export. @throws CliError if one is missing, incomplete or there in two formats */
export const findExportFolder = async (directory: string): Promise<ExportFolder> => {
  const names = await ifThere(readdir(directory));
  if (names === undefined) throw usageError(`There is no directory ${directory}. To write one: crm export all --help`);
  const nameOf = (stem: string, ...endings: readonly string[]): string => {
    const wanted = endings.map((ending) => `${stem}.${ending}`);
    const partial = wanted.find((name) => names.includes(`${name}.partial`));
    if (partial !== undefined)
      throw usageError(
        `The export of ${partial} in ${directory} is not complete. Run crm export all again to continue it.`,
      );
    const [found, other] = wanted.filter((name) => names.includes(name));
    if (other !== undefined) throw usageError(`${directory} has both ${found ?? ''} and ${other}. Remove one of them.`);
    if (found === undefined)
      throw usageError(`${directory} has no ${wanted.join(' or ')}, which crm export all writes.`);
    return join(directory, found);
  };
  return {
    directory,
    setup: nameOf('setup', 'yaml'),
    files: inOrder.map((object) => ({ object, path: nameOf(object, 'csv', 'jsonl') })),
  };
};
