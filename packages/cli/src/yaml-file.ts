import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';

import type { Validator } from '@crm/contract';
import { findNumberFault } from '@crm/domain';
import {
  Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  type ToStringOptions,
  visit,
} from 'yaml';

import { configurationError, type CliError } from './errors.js';

/** A path in a file, such as `['fields', 'name', 'transform', 0]`. */
export type KeyPath = readonly (string | number)[];

/** The most values of a file after its aliases are replaced. Far more than any setup has. */
const maxValues = 100_000;

const isUtf8Text = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0);

interface AliasFault {
  readonly offset: number;
  readonly message: string;
}

/** The first alias without an anchor, that refers to itself, or that makes the file larger than `maxValues`: `a: [*b, *b]`, `b: [*c, *c]` … */
const findAliasFault = (document: Document): AliasFault | null => {
  const sizes = new Map<Node, number>();
  const sizeOf = (node: Node): number => {
    const known = sizes.get(node);
    if (known !== undefined) return known;
    sizes.set(node, 0);
    let size = 0;
    visit(node, {
      Node: (_key, each) => {
        const target = isAlias(each) ? each.resolve(document) : undefined;
        size += target === undefined ? 1 : sizeOf(target);
      },
    });
    sizes.set(node, size);
    return size;
  };
  let values = 0;
  let fault: AliasFault | null = null;
  visit(document, {
    Node: (_key, node, path) => {
      if (!isAlias(node)) {
        values += 1;
        return undefined;
      }
      const target = node.resolve(document);
      const isInItself = target !== undefined && path.includes(target);
      values += target === undefined || isInItself ? 1 : sizeOf(target);
      const message =
        (target === undefined && `*${node.source} has no anchor &${node.source} before it`) ||
        (isInItself && `*${node.source} refers to itself`) ||
        (values > maxValues && `*${node.source} repeats too much: the file would have more than ${maxValues} values`);
      if (message === false) return undefined;
      fault = { offset: node.range?.[0] ?? 0, message };
      return visit.BREAK;
    },
  });
  return fault;
};

/** A parsed YAML file that knows the line of each key. It also reads JSON, because JSON is YAML. */
export class YamlFile {
  readonly #file: string;
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #problems: string[] = [];
  /** The whole file as text. */
  readonly text: string;
  /** The whole file as plain values. */
  readonly value: unknown;

  /**
   * @param content - the text, or the bytes of the file
   * @param heading - the first line of the error about all problems
   * @throws CliError (78) with the line, if the content is not one document of YAML or JSON in UTF-8
   */
  constructor(
    file: string,
    content: string | Uint8Array,
    private readonly heading: string,
  ) {
    this.#file = basename(file);
    this.#lines = new LineCounter();
    this.text = this.#decode(content);
    this.#document = parseDocument(this.text, { lineCounter: this.#lines, prettyErrors: false });
    // A warning is about a value that is not read as it is written, such as an unknown tag.
    for (const { code, pos, message } of [...this.#document.errors, ...this.#document.warnings]) {
      const text = code === 'MULTIPLE_DOCS' ? 'a second document begins here: a file has one' : message;
      this.#problems.push(`${this.#at(pos[0])}: ${text}`);
    }
    visit(this.#document, {
      Scalar: (_key, { value, source, range }) => {
        if (typeof value !== 'number' || source === undefined) return;
        const fault = findNumberFault(source);
        if (fault !== null) this.#problems.push(`${this.#at(range?.[0] ?? 0)}: ${source} ${fault}`);
      },
    });
    const fault = findAliasFault(this.#document);
    if (fault !== null) this.#problems.push(`${this.#at(fault.offset)}: ${fault.message}`);
    this.throwIfAny();
    this.value = this.#document.toJS({ maxAliasCount: -1 }) as unknown;
  }

  /** The text of the file. @throws CliError (78) with the line, if it is not UTF-8 */
  #decode(content: string | Uint8Array): string {
    if (typeof content === 'string') return content;
    const bytes = Buffer.from(content);
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      if (!text.includes('\0')) return text;
    } catch {
      // The line follows.
    }
    const line = bytes
      .toString('latin1')
      .split('\n')
      .findIndex((part) => !isUtf8Text(Buffer.from(part, 'latin1')));
    throw fileError(this.heading, [`${this.#file}:${line + 1}: is not UTF-8: save the file in the encoding UTF-8`]);
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

/**
 * Writes values as YAML. Texts that a reader of YAML 1.1, such as PyYAML, would take for something else are quoted: `no`,
 * `2026-01-01`, `12:30`, `1_000`.
 */
export const yamlText = (value: unknown, options: ToStringOptions = {}): string => {
  const document = new Document(value, { compat: 'yaml-1.1' });
  visit(document, {
    Scalar: (_key, scalar) => {
      // The library does not know that `=` alone has a meaning of its own in YAML 1.1.
      if (scalar.value === '=') scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0, ...options });
};

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
