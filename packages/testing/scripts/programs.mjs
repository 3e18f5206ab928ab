// Programs that system tests need besides Node, with their Debian packages. A test file names them in a comment:
//   /** @needs redis-server curl */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { pathToFileURL } from 'node:url';

const postgresFolder = '/usr/lib/postgresql';

const hasPostgres = () =>
  existsSync(postgresFolder) &&
  readdirSync(postgresFolder).some((version) => existsSync(`${postgresFolder}/${version}/bin/pg_basebackup`));

/** @type {Readonly<Record<string, { readonly debianPackage: string, readonly isInstalled: () => boolean }>>} */
export const programs = {
  chromium: { debianPackage: 'chromium', isInstalled: () => existsSync('/usr/bin/chromium') },
  curl: { debianPackage: 'curl', isInstalled: () => existsSync('/usr/bin/curl') },
  fish: { debianPackage: 'fish', isInstalled: () => existsSync('/usr/bin/fish') },
  go: {
    debianPackage: 'golang-go',
    isInstalled: () => existsSync('/usr/local/go/bin/go') || existsSync('/usr/bin/go'),
  },
  haproxy: { debianPackage: 'haproxy', isInstalled: () => existsSync('/usr/sbin/haproxy') },
  java: { debianPackage: 'openjdk-17-jdk-headless', isInstalled: () => existsSync('/usr/bin/javac') },
  maven: { debianPackage: 'maven', isInstalled: () => existsSync('/usr/bin/mvn') },
  nginx: { debianPackage: 'nginx-light', isInstalled: () => existsSync('/usr/sbin/nginx') },
  pgbouncer: { debianPackage: 'pgbouncer', isInstalled: () => existsSync('/usr/sbin/pgbouncer') },
  postgresql: { debianPackage: 'postgresql-15', isInstalled: hasPostgres },
  prometheus: { debianPackage: 'prometheus', isInstalled: () => existsSync('/usr/bin/promtool') },
  python3: { debianPackage: 'python3', isInstalled: () => existsSync('/usr/bin/python3') },
  'python3-venv': {
    debianPackage: 'python3-venv',
    isInstalled: () => spawnSync('python3', ['-c', 'import ensurepip']).status === 0,
  },
  'redis-server': { debianPackage: 'redis-server', isInstalled: () => existsSync('/usr/bin/redis-server') },
  rust: {
    debianPackage: 'cargo',
    isInstalled: () => existsSync('/usr/bin/cargo') || existsSync(`${homedir()}/.cargo/bin/cargo`),
  },
  zsh: { debianPackage: 'zsh', isInstalled: () => existsSync('/usr/bin/zsh') },
};

/** The names among these that are not installed. @throws Error for a name that is not in the table */
export const missingPrograms = (names) =>
  names.filter((name) => {
    if (programs[name] === undefined) throw new Error(`Unknown program: ${name}. Add it to programs.mjs`);
    return !programs[name].isInstalled();
  });

/** How to install these programs. */
export const installCommand = (names) =>
  `apt-get install --no-install-recommends ${names.map((name) => programs[name].debianPackage).join(' ')}`;

// As a program, prints the packages to install.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const name of missingPrograms(Object.keys(programs))) console.log(programs[name].debianPackage);
}
