import { basename } from 'node:path';

import type { Validator } from '@crm/contract';
import { findNumberFault } from '@crm/domain';
import { isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';

import { configurationError, type CliError } from './errors.js';

/** A path in a file, such as `['fields', 'name', 'transform', 0]`. */
export type KeyPath = readonly (string | number)[];

/** A parsed YAML file that knows the line of each key. It also reads JSON, because JSON is YAML. */
export class YamlFile {
  readonly #file: string;
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #problems: string[] = [];
  /** The whole file as plain values. */
  readonly value: unknown;

  /**
   * @param heading - the first line of the error about all problems
   * @throws CliError (78) with the line, if the text is not YAML or JSON
   */
  constructor(
    file: string,
    text: string,
    private readonly heading: string,
  ) {
    this.#file = basename(file);
    this.#lines = new LineCounter();
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    for (const error of this.#document.errors) {
      this.#problems.push(`${this.#at(error.pos[0])}: ${error.message}`);
    }
    visit(this.#document, {
      Scalar: (_key, { value, source, range }) => {
        if (typeof value !== 'number' || source === undefined) return;
        const fault = findNumberFault(source);
        if (fault !== null) this.#problems.push(`${this.#at(range?.[0] ?? 0)}: ${source} ${fault}`);
      },
    });
    this.throwIfAny();
    this.value = this.#document.toJS() as unknown;
  }

  /** Checks the whole file. @throws CliError (78) that names every problem with its key and line */
  check(validator: Validator): void {
    for (const [dotted, text] of Object.entries(validator(this.value) ?? {})) {
      this.problem(dotted === 'body' ? [] : pathIn(this.value, dotted), text);
    }
    this.throwIfAny();
  }

  /** `file:line: dotted.key`, the start of a message about it. */
  place(path: KeyPath): string {
    const line = this.#lineOf(path);
    const at = line === undefined ? this.#file : `${this.#file}:${line}`;
    return path.length === 0 ? at : `${at}: ${dotted(path)}`;
  }

  /** Records a problem at `path`. All problems are reported together. */
  problem(path: KeyPath, message: string): void {
    this.#problems.push(`${this.place(path)}: ${message}`);
  }

  /** @throws CliError (78) with all recorded problems, if there are any. */
  throwIfAny(): void {
    if (this.#problems.length > 0) throw fileError(this.heading, this.#problems);
  }

  #at(offset: number): string {
    return `${this.#file}:${this.#lines.linePos(offset).line}`;
  }

  #lineOf(path: KeyPath): number | undefined {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = this.#offsetOf(path.slice(0, length));
      if (offset !== undefined) return this.#lines.linePos(offset).line;
    }
    return undefined;
  }

  /** The offset of the key, not of its value, because a nested value starts on the line after its key. */
  #offsetOf(path: KeyPath): number | undefined {
    const parent = path.length === 1 ? this.#document.contents : this.#document.getIn(path.slice(0, -1), true);
    const last = path.at(-1);
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === last);
      return pair !== undefined && isScalar(pair.key) ? pair.key.range?.[0] : undefined;
    }
    const node = this.#document.getIn(path, true);
    return isNode(node) ? node.range?.[0] : undefined;
  }
}

/** One error for a list of problems in a file. */
export const fileError = (heading: string, problems: readonly string[]): CliError =>
  configurationError([heading, ...problems.map((text) => `  ${text}`)].join('\n'));

const dotted = (path: KeyPath): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');

/** The path of a dotted text. Keys may contain dots, as in `fields.custom_fields.tier`: the longest existing key wins. */
export const pathIn = (value: unknown, text: string): KeyPath => {
  if (text === '') return [];
  const index = /^\[(\d+)\]\.?/.exec(text);
  if (index !== null) {
    const at = Number(index[1]);
    return [at, ...pathIn(Array.isArray(value) ? value[at] : undefined, text.slice(index[0].length))];
  }
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const key = keys
    .filter((name) => text === name || text.startsWith(`${name}.`) || text.startsWith(`${name}[`))
    .reduce((longest, name) => (name.length > longest.length ? name : longest), '');
  const name = key === '' ? (/^[^.[]+/.exec(text)?.[0] ?? text) : key;
  const child: unknown = key === '' ? undefined : Reflect.get(value as object, key);
  return [name, ...pathIn(child, text.slice(name.length).replace(/^\./, ''))];
};
