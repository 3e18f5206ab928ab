import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Mutation
 * @property {string} requirement such as R8, of docs/security.md
 * @property {string} removed the removed protection in a few words, which also select it on the command line
 * @property {string} file from the top of the repository
 * @property {string} from text that occurs there exactly once
 * @property {string} to its replacement
 * @property {string} tests a folder, then parts of test file names
 */

/** Reads one mutation of `mutations.diff`. @returns {Mutation} */
const toMutation = (/** @type {string} */ text) => {
  const [title = '', ...lines] = text.trimEnd().split('\n');
  const after = (/** @type {string} */ mark) =>
    lines.flatMap((line) => (line.startsWith(mark) ? [line.slice(mark.length)] : [])).join('\n');
  const [, requirement = '', removed = ''] = /^(R\d+) (.*)$/.exec(title) ?? [];
  return { requirement, removed, file: after('in '), from: after('- '), to: after('+ '), tests: after('fails ') };
};

/** The comment at the top of the file, and a text for each mutation. */
const [, ...texts] = readFileSync(new URL('mutations.diff', import.meta.url), 'utf8').split('\n\n');

/** @type {readonly Mutation[]} */
export const mutations = texts.map(toMutation);
