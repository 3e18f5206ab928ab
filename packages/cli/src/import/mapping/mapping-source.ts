import { basename } from 'node:path';

import { findNumberFault } from '@crm/domain';
import { isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';

import { configurationError, type CliError } from '../../errors.js';

/** A path in the mapping file, such as `['fields', 'name', 'transform', 0]`. */
export type KeyPath = readonly (string | number)[];

/** A parsed mapping file that knows the line of each key. It also reads JSON, because JSON is YAML. */
export class MappingSource {
  readonly #file: string;
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #problems: string[] = [];

  /** @throws CliError (78) with the line, if the text is not YAML or JSON. */
  constructor(
    file: string,
    text: string,
    private readonly heading = 'The mapping cannot be used; nothing was sent.',
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
  }

  /** The whole file as plain values. */
  get value(): unknown {
    return this.#document.toJS() as unknown;
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
    if (this.#problems.length > 0) throw mappingError(this.#problems, this.heading);
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

/** One error for a list of problems in the mapping. */
export const mappingError = (
  problems: readonly string[],
  heading = 'The mapping cannot be used; nothing was sent.',
): CliError => configurationError([heading, ...problems.map((text) => `  ${text}`)].join('\n'));

const dotted = (path: KeyPath): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
