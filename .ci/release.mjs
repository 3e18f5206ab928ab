// Makes a release in dist and prints what is published, with sizes and digests. Usage, after npm run build:
//   node .ci/release.mjs             a dry run
//   node .ci/release.mjs --build     also builds the images for all platforms
//   node .ci/release.mjs --publish   publishes what --build has made. It runs no code of other packages and builds nothing,
//                                    because only this step has the rights to publish (.github/workflows/release.yml)
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { images } from '../docker/prune.mjs';

process.chdir(dirname(import.meta.dirname));
const out = 'dist/release';
const publishes = process.argv.includes('--publish');
const buildsAll = process.argv.includes('--build');
const read = (path) => readFileSync(path, 'utf8');
const manifestOf = (folder) => JSON.parse(read(join(folder, 'package.json')));
const { version, description, license, repository, engines } = manifestOf('.');
const repositoryName = repository.replace('github:', '');

const run = (program, ...args) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const print = (name, bytes, digest) => console.log(`${name}  ${Math.ceil(bytes / 1000)} kB  ${digest}`);

const releaseNotes = () => {
  const sections = read('CHANGELOG.md').split(/^## /m);
  const section = sections.find((text) => new RegExp(`^\\[${version}\\] - \\d{4}-\\d\\d-\\d\\d\n`).test(text));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version} with a date`);
  return section.slice(section.indexOf('\n')).trimStart();
};

/**
 * Copies the command line and all that it runs into one package. There, our packages import each other by path, because npm
 * finds packages by name only in node_modules.
 * @returns its package.json, without what all our packages have
 */
const stageCommandLine = (to) => {
  const paths = ['apps', 'packages'].flatMap((parent) => readdirSync(parent).map((name) => `${parent}/${name}`));
  const folders = new Map(paths.map((path) => [manifestOf(path).name, path]));
  folders.delete('@crm/testing');
  const parts = ['package.json', 'bin', 'dist', 'assets', 'guides', 'examples', 'sql/functions'];
  const used = [...folders.values()].flatMap((folder) => parts.map((part) => `${folder}/${part}`)).filter(existsSync);
  const isNeeded = (path) => !/\/commonjs$|\.d\.ts$|\.map$/.test(path);
  for (const path of [...used, 'prisma/migrations', 'docs/contract.md', 'README.md', 'LICENSE'])
    cpSync(path, join(to, path), { recursive: true, filter: isNeeded });
  for (const path of readdirSync(to, { recursive: true }).filter((name) => name.endsWith('.js'))) {
    const target = (name) => relative(dirname(path), `${folders.get(name)}/dist/index.js`);
    const code = read(join(to, path)).replace(/(?<=^(?:import|export) .*from '|import\(')@crm\/[a-z-]+(?=')/gm, target);
    writeFileSync(join(to, path), code);
  }
  const all = [...folders.values()].flatMap((path) => Object.entries(manifestOf(path).dependencies ?? {}));
  const dependencies = Object.fromEntries(all.filter(([name]) => !folders.has(name)).sort());
  return { name: '@crm/cli', description, type: 'module', bin: { crm: 'packages/cli/bin/crm.js' }, dependencies };
};

const stageClient = (to) => {
  const files = ['dist', 'README.md', 'LICENSE'];
  for (const name of files) cpSync(`packages/client/${name}`, join(to, name), { recursive: true });
  const pages = `https://github.com/${repositoryName}/blob/v${version}/`;
  writeFileSync(join(to, 'README.md'), read(join(to, 'README.md')).replaceAll('](../../', `](${pages}`));
  const { scripts, devDependencies, ...manifest } = manifestOf('packages/client');
  return manifest;
};

const tarballs = ['client', 'cli'].map((name) => ({
  id: `@crm/${name}@${version}`,
  file: `${out}/crm-${name}-${version}.tgz`,
}));

const packPackage = (stage) => {
  const folder = `dist/${stage.name}`;
  const publishConfig = { access: 'public', provenance: true };
  const source = { type: 'git', url: `git+https://github.com/${repositoryName}.git` };
  const manifest = { ...stage(folder), version, license, repository: source, engines, publishConfig };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  const [packed] = Object.values(JSON.parse(run('npm', 'pack', '--json', `--pack-destination=${out}`, `./${folder}`)));
  run('npm', 'publish', `${out}/${packed.filename}`, '--dry-run', '--loglevel=error');
  print(`npm ${packed.id}, ${packed.entryCount} files`, packed.size, packed.integrity);
};

const publishPackage = ({ id, file }) => {
  // A workflow that failed later can run again, but npm takes each version once.
  if (spawnSync('npm', ['view', id, 'version']).status !== 0)
    run('npm', 'publish', file, '--ignore-scripts', '--loglevel=error');
};

const imageOf = (target) => `ghcr.io/${repositoryName.toLowerCase()}/${target}:${version}`;
const archiveOf = (target) => `dist/images/${target}.tar`;

const buildImage = (target) => {
  const image = imageOf(target);
  const source = `org.opencontainers.image.source=https://github.com/${repositoryName}`;
  const build = ['--file=docker/Dockerfile', `--target=${target}`, `--tag=${image}`, `--label=${source}`];
  if (!buildsAll) {
    const tool = ['docker', 'podman'].find((name) => spawnSync(name, ['info']).status === 0);
    if (tool === undefined) return console.log(`${image}  not built, because neither docker nor podman works here`);
    const { status } = spawnSync(tool, ['build', '--quiet', ...build, '.'], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) {
      process.exitCode = 1;
      return console.log(`${image}  not built, because ${tool} failed`);
    }
    return print(image, ...run(tool, 'image', 'inspect', '--format={{.Size}} {{.Id}}', image).trim().split(' '));
  }
  const attached = ['--platform=linux/amd64,linux/arm64', '--sbom=true', '--provenance=mode=max'];
  run('docker', 'buildx', 'build', ...build, ...attached, `--output=type=oci,dest=${archiveOf(target)}`, '.');
  console.log(image);
};

const publishImage = (target) => {
  const [image, digest] = [imageOf(target), `dist/images/${target}.digest`];
  run('skopeo', 'copy', '--all', `--digestfile=${digest}`, `oci-archive:${archiveOf(target)}`, `docker://${image}`);
  const signed = `${image}@${read(digest).trim()}`;
  run('cosign', 'sign', '--yes', signed);
  run('cosign', 'attest', '--yes', '--type=cyclonedx', `--predicate=${bill}`, signed);
  console.log(signed);
};

const expected = `${repositoryName} v${version}`;
const actual = `${process.env.GITHUB_REPOSITORY} ${process.env.GITHUB_REF_NAME}`;
if (publishes && actual !== expected) throw new Error(`This is ${actual}, and package.json says ${expected}`);

const targets = Object.keys(images).filter((name) => name !== 'build');
const bill = `${out}/crm-${version}.cdx.json`;
if (publishes) {
  targets.forEach(publishImage);
  tarballs.forEach(publishPackage);
} else {
  rmSync('dist', { recursive: true, force: true });
  for (const folder of [out, 'dist/images']) mkdirSync(folder, { recursive: true });
  writeFileSync('dist/notes.md', releaseNotes());
  run('node', '.ci/licences.mjs', '--bill', bill);
  targets.forEach(buildImage);
  for (const stage of [stageClient, stageCommandLine]) packPackage(stage);
}
const files = readdirSync(out).map((name) => join(out, name));
for (const file of files) {
  const bytes = readFileSync(file);
  print(file, bytes.length, `sha256:${createHash('sha256').update(bytes).digest('hex')}`);
}
if (publishes) run('gh', 'release', 'create', `v${version}`, '--verify-tag', '--notes-file=dist/notes.md', ...files);
else console.log(`Release notes:\n\n${read('dist/notes.md')}`);
