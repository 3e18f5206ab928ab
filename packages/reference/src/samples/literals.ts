import { variableOf } from './sample-request.js';

/** How a language writes values. */
export interface Notation {
  readonly variable: (name: string) => string;
  readonly text: (text: string) => string;
  readonly key: (name: string) => string;
  readonly words: { readonly null: string; readonly true: string; readonly false: string };
  /** Spaces inside the braces of an object on one line. */
  readonly padding: '' | ' ';
}

const lineLength = 60;

/** A JSON value in the notation of a language; a long value is written over several lines. */
export const writeLiteral = (value: unknown, notation: Notation, indent = ''): string => {
  const name = variableOf(value);
  if (name !== null) return notation.variable(name);
  if (typeof value === 'string') return notation.text(value);
  if (value === null) return notation.words.null;
  if (typeof value === 'boolean') return notation.words[value ? 'true' : 'false'];
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  const write = (space: string): string[] =>
    Array.isArray(value)
      ? value.map((entry) => writeLiteral(entry, notation, space))
      : Object.entries(value).map(([key, entry]) => `${notation.key(key)}: ${writeLiteral(entry, notation, space)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const padding = Array.isArray(value) ? '' : notation.padding;
  const parts = write(inner);
  if (parts.length === 0) return `${open}${close}`;
  const line = `${open}${padding}${parts.join(', ')}${padding}${close}`;
  if (line.length + indent.length <= lineLength && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
};
