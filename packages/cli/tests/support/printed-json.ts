import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { createProgram } from '../../src/program.js';

/** `[{ id: 'a', size: 1 }, { id: 'b' }]` → `[{ id: 'string' }]`. The type `null` is unknown. */
export type Shape = string | readonly Shape[] | { readonly [key: string]: Shape };

const file = new URL('../../../../tests/release/printed.json', import.meta.url);
/** What each command of the last release printed with `--json` in the tests. */
const released = (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}) as Record<string, Shape>;

const isObject = (value: unknown): value is Readonly<Record<string, Shape>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Adds what a value has in a part whose type was unknown. Removes the keys that the value does not have. */
const merge = (shape: Shape, value: unknown): Shape => {
  if (value === null) return shape;
  if (Array.isArray(value))
    return [value.reduce<Shape>(merge, Array.isArray(shape) ? ((shape as readonly Shape[])[0] ?? 'null') : 'null')];
  if (!isObject(value)) return typeof value;
  const known = isObject(shape) ? shape : null;
  const keys = Object.keys(value).filter((key) => known === null || key in known);
  // The keys of limits are groups of operations, and those of secrets are addresses.
  return Object.fromEntries(
    keys.map((key) => [key, /^(limits|secrets)$/.test(key) ? {} : merge(known?.[key] ?? 'null', value[key])]),
  );
};

/** What breaks programs that read the shape, such as `pipeline create.stages[].label is gone`. New keys do not. */
export const breaks = (shape: Shape, value: unknown, path: string): string[] => {
  if (value === null || shape === 'null') return [];
  if (Array.isArray(shape) && Array.isArray(value)) {
    const [item = 'null'] = shape as readonly Shape[];
    return value.flatMap((each) => breaks(item, each, `${path}[]`));
  }
  if (isObject(shape) && isObject(value))
    return Object.entries(shape).flatMap(([key, each]) =>
      key in value ? breaks(each, value[key], `${path}.${key}`) : [`${path}.${key} is gone`],
    );
  return shape === typeof value ? [] : [`${path} was ${JSON.stringify(shape)} and is ${JSON.stringify(value)}`];
};

/** `['key', 'list', '--org', '…']` → `key list`; with an argument such as `account`, if the command lists its values. */
const commandOf = async (args: readonly string[]): Promise<string> => {
  const { stdout, stderr } = process;
  let command = await createProgram({ env: {}, stdout, stderr, onInterrupt: () => new AbortController().signal });
  const names = args.slice(0, 2).filter((word) => {
    const inner = command.commands.find((each) => each.name() === word);
    const isNamed = inner !== undefined || command.registeredArguments[0]?.argChoices?.includes(word);
    command = inner ?? command;
    return isNamed;
  });
  return names.join(' ');
};

/** Checks that the objects which a command printed have the keys and types of the last release, or stores them as these. */
export const expectReleasedJson = async (args: readonly string[], output: string): Promise<void> => {
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  const objects = lines.map((line): unknown => JSON.parse(line));
  const command = objects.some((each) => isObject(each) && 'error' in each) ? 'failures' : await commandOf(args);
  if (process.env['TAKE_BASELINE'] === undefined) {
    expect(objects.flatMap((each) => breaks(released[command] ?? 'null', each, command))).toEqual([]);
    return;
  }
  released[command] = objects.reduce<Shape>(merge, released[command] ?? 'null');
  writeFileSync(file, JSON.stringify(Object.fromEntries(Object.entries(released).sort()), null, 1));
};
