// Reads mutations: patches of which each makes a small fault that a test must notice.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { applyPatch, parsePatch } from 'diff';
import { root } from './repository-files.mjs';
import { listTestFiles } from './test-files.mjs';

/** Where the named mutations are, from the root of the repository. */
export const mutationsFolder = 'packages/testing/mutations';

/**
 * @typedef {object} Mutation
 * @property {string} name of the file, without `.patch`
 * @property {string} title the fault in a few words, after the number of a requirement of docs/security.md if there is one
 * @property {readonly string[]} fails the tests that must notice it, each a folder and then parts of file names
 * @property {readonly import('diff').StructuredPatch[]} patches one per changed file
 */

/** Reads one patch: a title, lines that start with `fails`, and the output of `git diff`. @returns {Mutation} */
export const readMutation = (/** @type {string} */ name, /** @type {string} */ text) => {
  const [head = '', ...diff] = text.split(/^(?=diff --git |--- )/m);
  return {
    name,
    title: head.split('\n', 1)[0]?.trim() ?? '',
    fails: [...head.matchAll(/^fails (.+)$/gm)].map(([, tests = '']) => tests.trim()),
    patches: parsePatch(diff.join('')).filter(({ hunks }) => hunks.length > 0),
  };
};

/** Every mutation of a folder. @returns {readonly Mutation[]} */
export const readMutations = (/** @type {string} */ folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.patch'))
    .sort()
    .map((file) => readMutation(basename(file, '.patch'), readFileSync(join(folder, file), 'utf8')));

/** The files that a mutation changes, from the root of the repository. @returns {readonly string[]} */
export const filesOf = (/** @type {Mutation} */ { patches }) =>
  patches.map(({ newFileName = '' }) => newFileName.replace(/^b\//, ''));

/** Removed and added lines without their indentation, such as `- a < b` and `+ a <= b`. @returns {string} */
export const changeOf = (/** @type {Mutation} */ { patches }) =>
  patches
    .flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines.filter((line) => /^[-+]/.test(line))))
    .map((line) => `${line[0]} ${line.slice(1).trim()}`)
    .join('\n');

/**
 * The texts of the changed files before and with the fault, or null if the patch no longer applies.
 * @returns {readonly { path: string, before: string, after: string }[] | null}
 */
export const textsOf = (/** @type {Mutation} */ mutation) => {
  const texts = filesOf(mutation).map((path, index) => {
    const before = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
    return { path, before, after: applyPatch(before, mutation.patches[index] ?? '') };
  });
  const isChanged = texts.length > 0 && texts.every(({ before, after }) => after !== false && after !== before);
  return isChanged ? texts : null;
};

/** The part of the repository in whose score a file counts: a package, or a folder of `db`. @returns {string} */
export const roomOf = (/** @type {string} */ path) =>
  /^packages\/db\/(sql\/functions|src\/page)(?=\/)|^(apps|packages)\/[^/]+|^[^/]+/.exec(path)?.[0] ?? '';

/** Tests that compare texts of sources: they notice any change, and so prove nothing about a fault. */
const comparesTexts = /\/(schema-dump|repository|breaking-changes)(\.system)?\.test\.ts$/;

const folders = ['apps', 'packages'].flatMap((parent) =>
  readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
);
const packages = [...folders, 'tests'].map((folder) => {
  const { name, dependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return { folder, name, uses: Object.keys(dependencies ?? {}) };
});

/** The folders of the packages that use a package, also through others. */
const usersOf = (/** @type {string} */ folder) => {
  const users = new Set(packages.filter((one) => one.folder === folder));
  // A set that grows is walked to its end.
  for (const { name } of users) for (const one of packages) if (one.uses.includes(name)) users.add(one);
  return [...users].slice(1).map((user) => user.folder);
};

const allTests = listTestFiles().filter(({ path }) => !comparesTexts.test(path));

/** Tests beside a changed file, and tests with a word of its name in theirs: those most likely to notice a fault in it. */
const nearTests = (/** @type {readonly string[]} */ files) =>
  files.flatMap((file) => {
    const words = basename(file)
      .replace(/s?\.\w+$/, '')
      .split(/[-_]/);
    const isNear = (/** @type {string} */ path) =>
      dirname(path) === dirname(file) || words.some((word) => word.length > 3 && basename(path).includes(word));
    return allTests.filter(({ path, tier }) => tier === 'test' && isNear(path)).map(({ path }) => path);
  });

/**
 * The test files that can notice a mutation, in the order in which to try them: those that it names, or else the nearest ones, all of
 * the changed package, then those of its users, and at last the system tests of all of these.
 * @returns {readonly (readonly string[])[]}
 */
export const testsOf = (/** @type {Mutation} */ mutation, /** @type {boolean} */ withSystemTests) => {
  const pathsIn = (/** @type {readonly string[]} */ from, /** @type {string} */ tier) =>
    allTests
      .filter((test) => test.tier === tier && from.some((folder) => test.path.startsWith(`${folder}/`)))
      .map(({ path }) => path);
  if (mutation.fails.length > 0) {
    const named = mutation.fails.flatMap((tests) => {
      const [folder = '', ...parts] = tests.split(/\s+/);
      return parts.map((part) => allTests.filter(({ path }) => path.startsWith(`${folder}/`) && path.includes(part)));
    });
    // A part that names no file is a mistake in the patch.
    return named.some((files) => files.length === 0) ? [] : [[...new Set(named.flat().map(({ path }) => path))]];
  }
  const files = filesOf(mutation);
  const own = [...new Set(files.map((path) => /^(apps|packages)\/[^/]+|^[^/]+/.exec(path)?.[0] ?? ''))];
  const users = [...new Set(own.flatMap(usersOf))];
  const system = withSystemTests ? pathsIn([...own, ...users], 'system') : [];
  const tried = new Set();
  const untried = (/** @type {readonly string[]} */ paths) => {
    const left = paths.filter((path) => !tried.has(path));
    left.forEach((path) => tried.add(path));
    return left;
  };
  const stages = [nearTests(files), pathsIn(own, 'test'), pathsIn(users, 'test'), system].map(untried);
  return stages.filter((paths) => paths.length > 0);
};
