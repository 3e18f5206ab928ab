// `npm run prose`: finds words that confused readers of this project, in documentation, comments and strings. Prints each hit
// as file:line, and fails if there is one. The rules are few, so that nearly every hit is a sentence to rewrite. Correct uses
// are excluded by phrase, never by file.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesIn, root } from './repository-files.mjs';

/**
 * @typedef {object} ProseRule
 * @property {RegExp} pattern the word, with the flags `gi`
 * @property {string} better what to write instead
 * @property {RegExp[]} [allowed] correct phrases with the word; with the flags `gi`
 */

/** @type {ProseRule[]} */
const proseRules = [
  {
    pattern: /\b(?:tells?|told|telling)\b/gi,
    better: 'report, log, return, show or say',
    allowed: [/\b(?:tells?|told|telling)\b(?: [\w'’]+){0,9} apart\b/gi],
  },
  { pattern: /\b(?:nobody|no-one)\b/gi, better: 'name who does not: "no caller", "no request"' },
  { pattern: /\bsomebody\b/gi, better: 'name who: a caller, a person, another process' },
  { pattern: /\bwhoever\b/gi, better: 'name who: the caller, any process' },
  { pattern: /\banew\b/gi, better: 'again, or rebuild' },
  {
    pattern: /\bbehind\b/gi,
    better: 'after (in order), or from (cause)',
    allowed: [
      /\bbehind (?:a|an|any|one|the)? ?(?:\w+ )?(?:proxy|balancer|pooler|pgbouncer|firewall|express)\b/gi,
      /\b(?:leaves?|left|leaving|leave) (?:[\w"]+ ){0,6}behind\b/gi,
      /\bstays? behind\b/gi,
      /\b(?:is|are|be|seconds|moment|how far|never|may be|it is) behind\b/gi,
      /\bleft-behind\b/gi,
      /\bhow far (?:\w+ ){1,3}behind\b/gi,
    ],
  },
  { pattern: /\b(?:goes|go|going|went) on\b/gi, better: 'continue', allowed: [/\bwhat is going on\b/gi] },
  { pattern: /\breckon(?:s|ed|ing)?\b/gi, better: 'assume, estimate or compute' },
  { pattern: /\b(?:lest|wherein|whereof|thereof|hitherto)\b/gi, better: 'a plain word' },
  { pattern: /\b(?:where|when) none (?:is|was|are|were)\b/gi, better: 'if there is no …' },
];

/** Names rather than words: code in backticks, parts of addresses, and single words in quotes. */
const names = /`[^`\n]*`|[\w.+-]+@[\w.-]+|(['"])[\w-]+\1|[\w-]*[_/.=][\w/.-]*\w/g;

/**
 * The hits in a text.
 * @param {string} text
 * @returns {{ line: number, word: string, better: string }[]} lines count from 1
 */
export const proseFaults = (text) =>
  text.split('\n').flatMap((content, index) => {
    // Blanks of the same length keep the words around a name apart.
    const prose = content.replace(names, (name) => ' '.repeat(name.length));
    return proseRules.flatMap(({ pattern, better, allowed = [] }) => {
      const rest = allowed.reduce((left, phrase) => left.replace(phrase, ''), prose);
      return [...rest.matchAll(pattern)].map(([word]) => ({ line: index + 1, word, better }));
    });
  });

const isText = /\.(?:md|ts|js|mjs|cjs|sql|prisma|ya?ml|sh|conf|css|html)$|^Dockerfile|^run$|^openapi.*\.json$/;

/** Files that contain the words because they define the rules. */
const ownFiles = ['prose.mjs', 'repository.test.ts'];

/** Applied migrations must not change. */
const isChecked = (path) =>
  isText.test(basename(path)) && !ownFiles.includes(basename(path)) && !path.includes('/migrations/');

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const path of filesIn('').filter(isChecked)) {
    for (const { line, word, better } of proseFaults(readFileSync(join(root, path), 'utf8'))) {
      console.error(`${path}:${line}: "${word}": write ${better}`);
      process.exitCode = 1;
    }
  }
}
