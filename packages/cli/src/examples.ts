import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The path of a file that comes with the command line, from the current folder. */
export const example = (name: string): string =>
  relative('', fileURLToPath(new URL(`../examples/${name}`, import.meta.url)));
