// Generates mutations with the usual operators. Those of TypeScript are Stryker's, and three that Stryker lacks: a dropped statement, a
// dropped `await` and swapped arguments. For SQL, the tokens are those of PostgreSQL's own parser, which also checks every result.
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { createTwoFilesPatch } from 'diff';
import { loadModule, parsePlPgSQLSync, scanSync } from 'libpg-query';
import ts from 'typescript';
import { changeOf, filesOf, mutationsFolder, readMutation } from './mutations.mjs';
import { filesIn, root } from './repository-files.mjs';

/** Where mutants are made: the same number in each. */
const rooms = ['packages/db/sql/functions', 'packages/db/src/page', 'packages/domain/src', 'packages/http/src'];
const isSource = (path) => /\.(ts|sql)$/.test(path) && !/\.test\.ts$|\/index\.ts$/.test(path);

/** @typedef {{ start: number, end: number, text: string, operator: string }} Edit */

/** Too coarse: any test notices an emptied function. A changed text or pattern is no fault of logic. */
const excluded = ['ArrayDeclaration', 'ArrowFunction', 'BlockStatement', 'ObjectLiteral', 'Regex', 'StringLiteral'];
const ignore = () => undefined;
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore };
const logger = { ...silent, isTraceEnabled: () => false, isDebugEnabled: () => false };

/** @returns {Promise<readonly Edit[]>} the mutants of Stryker */
const strykerEdits = async (path, source, file) => {
  const options = { plugins: null, excludedMutations: excluded, ignorers: [] };
  const { mutants } = await new Instrumenter(logger).instrument(
    [{ name: path, content: source, mutate: true }],
    options,
  );
  const at = ({ line, column }) => ts.getPositionOfLineAndCharacter(file, line, column);
  return mutants
    .filter(({ mutatorName }) => !excluded.includes(mutatorName))
    .map(({ location, replacement: text, mutatorName: operator }) => ({
      start: at(location.start),
      end: at(location.end),
      text,
      operator,
    }));
};

/** @returns {readonly Edit[]} the mutants of a file that Stryker lacks */
const otherEdits = (file) => {
  const edits = [];
  const replace = (node, text, operator) =>
    edits.push({ start: node.getStart(file), end: node.getEnd(), text, operator });
  const visit = (node) => {
    if (ts.isExpressionStatement(node) && node.expression.kind !== ts.SyntaxKind.SuperKeyword)
      replace(node, ';', 'DroppedStatement');
    if (ts.isAwaitExpression(node)) replace(node, node.expression.getText(file), 'DroppedAwait');
    if (ts.isCallExpression(node)) {
      const [first, second] = node.arguments;
      if (first !== undefined && second !== undefined && ts.isIdentifier(first) && ts.isIdentifier(second)) {
        const swapped = `${second.text}, ${first.text}`;
        edits.push({ start: first.getStart(file), end: second.getEnd(), text: swapped, operator: 'SwappedArguments' });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return edits;
};

const comparisons = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '=': '<>', '<>': '=' };
const opensCondition = /^(WHERE|ON|IF|ELSIF|WHEN|HAVING|AND|OR|NOT)$/;
const endsCondition = /^(AND|OR|THEN|LOOP|GROUP|ORDER|LIMIT|RETURNING|FOR|UNION|HAVING|JOIN|LEFT|WINDOW|INTO|;|,)$/;
const startsStatement = /^(;|BEGIN|THEN|ELSE|LOOP|DECLARE)$/;

/** The tokens of a body, each with its depth in parentheses. Positions count characters, not bytes. */
const tokensOf = (body) => {
  const bytes = Buffer.from(body);
  const place = (byte) => bytes.subarray(0, byte).toString().length;
  let depth = 0;
  return scanSync(body).tokens.map(({ text, start, end }) => {
    if (text === ')') depth -= 1;
    const token = { word: text.toUpperCase(), start: place(start), end: place(end), depth };
    if (text === '(') depth += 1;
    return token;
  });
};

/** Where an operand that begins at a token ends: before the next token of its depth that cannot belong to it. */
const endOfOperand = (tokens, from) => {
  const { depth } = tokens[from];
  let isBetween = false;
  for (let index = from; index < tokens.length; index += 1) {
    const { word, depth: here } = tokens[index];
    if (here < depth) return index;
    if (here > depth) continue;
    if (isBetween && word === 'AND') isBetween = false;
    else if (endsCondition.test(word)) return index;
    else if (word === 'BETWEEN') isBetween = true;
  }
  return tokens.length;
};

/** @returns {readonly Edit[]} the mutants of the body of a function */
const bodyEdits = (body) => {
  const tokens = tokensOf(body);
  const edits = [];
  let clause = '';
  tokens.forEach(({ word, start, end, depth }, index) => {
    const before = tokens[index - 1]?.word ?? '';
    if (/^(SET|SELECT|VALUES|FROM|INTO|:=|RETURN|;)$/.test(word)) clause = word;
    if (opensCondition.test(word)) clause = 'condition';
    if (clause === 'condition' && comparisons[word] !== undefined) {
      edits.push({ start, end, text: comparisons[word], operator: 'Comparison' });
    }
    if (/^(AND|WHERE)$/.test(word)) {
      const next = endOfOperand(tokens, index + 1);
      const isBetween = tokens
        .slice(Math.max(0, index - 8), index)
        .some((token) => token.word === 'BETWEEN' && token.depth === depth);
      const last = tokens[next - 1];
      if (word === 'AND' && !isBetween) edits.push({ start, end: last.end, text: '', operator: 'DroppedCondition' });
      if (word === 'WHERE' && tokens[next]?.word === 'AND' && tokens[next].depth === depth) {
        edits.push({ start: end, end: tokens[next].end, text: '', operator: 'DroppedCondition' });
      }
    }
    const isStatement = /^(PERFORM|INSERT|UPDATE|DELETE)$/.test(word) || tokens[index + 1]?.word === ':=';
    if (depth === 0 && startsStatement.test(before) && isStatement) {
      const last = tokens.slice(index).find((token) => token.word === ';' && token.depth === 0);
      if (last !== undefined) edits.push({ start, end: last.end, text: 'NULL;', operator: 'DroppedStatement' });
    }
  });
  return edits;
};

/** Whether PostgreSQL accepts a function. Its names in braces stand for names. */
const isValid = (text) => {
  try {
    parsePlPgSQLSync(text.replace(/\{(?:\w+\.)?(\w+)\}/g, '$1'));
    return true;
  } catch {
    return false;
  }
};

/** @returns {readonly Edit[]} the mutants of a file of functions */
const sqlEdits = (source) =>
  [...source.matchAll(/CREATE OR REPLACE FUNCTION [^]*?\$\$([^]*?)\$\$;?/g)].flatMap(({ 0: text, 1: body, index }) => {
    const offset = text.indexOf('$$') + 2;
    return bodyEdits(body).flatMap((edit) => {
      const [start, end] = [offset + edit.start, offset + edit.end];
      const isPossible = isValid(text.slice(0, start) + edit.text + text.slice(end));
      return isPossible ? [{ ...edit, start: index + start, end: index + end }] : [];
    });
  });

/** A random order, the same for the same seed (mulberry32). */
const shuffled = (values, seed) => {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return values
    .map((value) => ({ value, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
};

const mutantsOf = async (path) => {
  const source = readFileSync(join(root, path), 'utf8');
  if (path.endsWith('.sql')) return sqlEdits(source).map((edit) => ({ path, source, ...edit }));
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  return [...(await strykerEdits(path, source, file)), ...otherEdits(file)].map((edit) => ({ path, source, ...edit }));
};

const toPatch = ({ path, source, start, end, text, operator }) => {
  const line = source.slice(0, start).split('\n').length;
  const diff = createTwoFilesPatch(`a/${path}`, `b/${path}`, source, source.slice(0, start) + text + source.slice(end));
  return `${operator} in ${path}:${line}\n\n${diff.split('\n').slice(1).join('\n')}`;
};

/** Faults that change nothing a caller could see: a file, its changed lines, and the reason. */
const equivalents = JSON.parse(readFileSync(join(root, mutationsFolder, 'equivalent.json'), 'utf8'));
const isEquivalent = (mutation) =>
  equivalents.some(({ file, change }) => file === filesOf(mutation)[0] && change === changeOf(mutation));

/**
 * Writes a sample of mutants as patches, the same number for each room, without the equivalent ones.
 * @returns {Promise<string>} the folder of the patches
 */
export const writeMutants = async (count, seedText) => {
  const seed = seedText === undefined ? randomInt(2 ** 31) : Number(seedText);
  await loadModule();
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  const samples = [];
  for (const room of rooms) {
    const all = (await Promise.all(filesIn(room).filter(isSource).map(mutantsOf))).flat();
    const texts = shuffled(all, seed).map(toPatch);
    const ofRoom = texts.filter((text) => !isEquivalent(readMutation('', text)));
    samples.push(ofRoom.slice(0, Math.ceil(count / rooms.length)));
    console.log(`${room}: ${all.length} possible faults, ${all.length - ofRoom.length} of them equivalent`);
  }
  // One of each room after the other, so that a run that ends early has judged all rooms.
  const inTurns = Array.from(
    { length: count },
    (_, index) => samples[index % rooms.length][Math.floor(index / rooms.length)],
  );
  for (const [index, text] of inTurns.entries()) {
    if (text !== undefined) writeFileSync(join(folder, `M${String(index + 1).padStart(3, '0')}.patch`), text);
  }
  console.log(`The same faults again: --generate ${count} --seed ${seed}. Their patches are in ${folder}`);
  return folder;
};
