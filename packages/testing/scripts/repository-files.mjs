// Lists the files of the repository.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

const skippedFolders = [
  '.crm',
  '.crm-bench',
  '.figures',
  '.git',
  '.turbo',
  'coverage',
  'dist',
  'generated',
  'node_modules',
];

/** Paths from the root of the repository, without files from elsewhere and files that commands write. */
export const filesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skippedFolders.includes(entry.name) ? [] : filesIn(path);
    return entry.isFile() ? [path] : [];
  });
