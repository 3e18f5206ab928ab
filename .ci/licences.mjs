// Lists the licence of every package in the lock file, and fails on licences that are not on the list of accepted ones.
// Usage: node .ci/licences.mjs                writes docs/licences.md
//        node .ci/licences.mjs --check        fails if that file does not match the lock file
//        node .ci/licences.mjs --bill FILE    writes a bill of materials: the packages at run time, as CycloneDX
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const page = join(root, 'docs/licences.md');

/** The licences of packages that may be shipped. They require no more than a notice. */
const agreed = [
  'MIT',
  'MIT/X11',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'Zlib',
  'CC0-1.0',
];
/** The licences of development tools, which no image contains. */
const agreedForTools = [...agreed, 'CC-BY-4.0', 'EPL-2.0'];
/** The licences of packages without one in the lock file, from their own LICENSE files. */
const named = { 'seq-queue': 'MIT' };

const { name: project, packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

/** The path at which a package finds another one: in its own folder, or in a folder above. */
const find = (path, name) => {
  for (let folder = path; ; folder = folder.replace(/(^|\/)(node_modules\/(@[^/]+\/)?)?[^/]+$/, '')) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place] !== undefined) return packages[place].link ? packages[place].resolved : place;
    if (folder === '') return undefined;
  }
};

/**
 * The packages that gateways and commands need at run time, with the PostgreSQL that `npm start` runs, and the packages that
 * each of them needs.
 */
const shippedPaths = new Map();
const visit = (path) => {
  if (shippedPaths.has(path)) return;
  const { dependencies = {}, optionalDependencies = {} } = packages[path];
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  const needed = names.map((name) => find(path, name)).filter((found) => found !== undefined);
  shippedPaths.set(path, needed);
  needed.forEach(visit);
};
const shippedFolders = [
  'apps/read-gateway',
  'apps/inbound-gateway',
  'apps/webhook-worker',
  'packages/cli',
  'packages/client',
];
shippedFolders.forEach(visit);

const packageAt = (path) => {
  const entry = packages[path];
  const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  // The packages of this repository have its licence.
  const licence =
    entry.license ?? named[name] ?? (path.includes('node_modules/') ? 'none named' : packages[''].license);
  return { name, version: entry.version, licence, isTool: !shippedPaths.has(path) };
};
const all = Object.keys(packages)
  .filter((path) => path.includes('node_modules/') && !packages[path].link)
  .map(packageAt)
  .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1));

/** Whether a licence is accepted. `(MIT OR CC0-1.0)` needs one accepted licence, `MIT AND Zlib` all of them. */
const isAgreed = (licence, list) =>
  licence
    .replace(/[()]/g, '')
    .split(/ or /i)
    .some((choice) => choice.split(/ and /i).every((part) => list.includes(part.trim())));

const refused = all.filter(({ licence, isTool }) => !isAgreed(licence, isTool ? agreedForTools : agreed));
for (const { name, version, licence } of refused) console.error(`FAILED  ${name} ${version}: ${licence}`);

/** The text in lines of up to 120 characters. */
const wrap = (text) => text.replace(/(.{1,120})(?: |$)/g, '$1\n').trimEnd();

/** A paragraph for each licence, with what `describe` says about its packages. */
const paragraphs = (list, describe) =>
  [...new Set(list.map(({ licence }) => licence))]
    .sort()
    .map((licence) => [licence, list.filter((one) => one.licence === licence)])
    .map(([licence, group]) => wrap(`**${licence}** (${group.length})${describe(group)}`))
    .join('\n\n');

const shipped = [
  ...new Map(all.filter(({ isTool }) => !isTool).map((one) => [`${one.name}@${one.version}`, one])).values(),
];
const tools = all.filter(({ isTool }) => isTool);
const text = `# Licences

\`npm run licences\` generates this page: the third-party packages in \`package-lock.json\`. \`npm run check\` fails if the page is out
of date, or if a package has a licence that \`.ci/licences.mjs\` does not accept.

## At run time

${paragraphs(shipped, (group) => `: ${group.map(({ name, version }) => `${name} ${version}`).join(', ')}`)}

## Development tools

Compilers, and packages for tests and benchmarks. None of them is needed at run time.

${wrap(paragraphs(tools, () => '').replaceAll('\n\n', ', '))}
`;

/** The address of a package in a bill of materials: `pkg:npm/%40scope/name@1.0.0` */
const addressOf = (path) => `pkg:npm/${packageAt(path).name.replace('@', '%40')}@${packages[path].version}`;

const componentOf = (path) => {
  const { name, version, licence } = packageAt(path);
  const hashes = [Buffer.from(packages[path].integrity?.replace('sha512-', '') ?? '', 'base64').toString('hex')]
    .filter((content) => content !== '')
    .map((content) => ({ alg: 'SHA-512', content }));
  const purl = addressOf(path);
  return { type: 'library', 'bom-ref': purl, name, version, licenses: [{ expression: licence }], hashes, purl };
};

const billOfMaterials = () => {
  const byAddress = new Map([...shippedPaths.keys()].map((path) => [addressOf(path), path]));
  const dependencyOf = (ref, paths) => ({ ref, dependsOn: [...new Set(paths.map(addressOf))] });
  const { version, license } = packages[''];
  const licenses = [{ expression: license }];
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { type: 'application', 'bom-ref': project, name: project, version, licenses } },
    components: [...byAddress.values()].map(componentOf),
    dependencies: [
      dependencyOf(project, shippedFolders),
      ...[...byAddress].map(([address, path]) => dependencyOf(address, shippedPaths.get(path))),
    ],
  };
};

const bill = process.argv[process.argv.indexOf('--bill') + 1];
if (process.argv.includes('--bill')) {
  writeFileSync(bill, JSON.stringify(billOfMaterials()));
} else if (process.argv.includes('--check')) {
  const isCurrent = readFileSync(page, 'utf8') === text;
  if (!isCurrent) console.error('FAILED  docs/licences.md does not match package-lock.json. Run: npm run licences');
  process.exitCode = isCurrent && refused.length === 0 ? 0 : 1;
} else {
  writeFileSync(page, text);
  process.exitCode = refused.length === 0 ? 0 : 1;
}
console.log(
  `${shipped.length} packages at run time, ${tools.length} tools, ${refused.length} with a licence that is not accepted`,
);
