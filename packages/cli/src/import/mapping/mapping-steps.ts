import type { KeyPath, MappingSource } from './mapping-source.js';
import { compileStep, transformNames, type Step, type TransformArgument, type TransformName } from './transforms.js';

/**
 * Reads a list of transforms: `trim`, `[trim, lower]` or `[{ map: { GTXPro: GTX Pro }, default: Other }]`. Problems are
 * recorded in the source, and a wrong transform is left out.
 */
export const readSteps = (source: MappingSource, path: KeyPath, value: unknown): readonly Step[] => {
  if (value === undefined) return [];
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  const steps = entries.flatMap((entry, index) => {
    const entryPath = Array.isArray(value) ? [...path, index] : path;
    const step = readStep(source, entryPath, entry);
    return step === undefined ? [] : [step];
  });
  const final = steps.findIndex((step) => step.kind === 'final');
  if (final !== -1 && final < steps.length - 1)
    source.problem(path, `${steps[final]?.name} must be the last transform`);
  if (steps.filter((step) => step.kind === 'split').length > 1) source.problem(path, 'split can only be used once');
  return steps;
};

const readStep = (source: MappingSource, path: KeyPath, entry: unknown): Step | undefined => {
  const read = nameAndArgument(entry);
  const name = transformNames.find((candidate) => candidate === read?.name);
  if (read === undefined || name === undefined) {
    const shown = read === undefined ? '' : `"${read.name}" is unknown; `;
    source.problem(path, `${shown}a transform is one of ${transformNames.join(', ')}`);
    return undefined;
  }
  if (read.argument.fallback !== undefined && name !== 'map') source.problem(path, 'only map takes a default');
  const step = compileStep(name, read.argument);
  if (step.ok) return step.value;
  source.problem(path, `${name}: ${step.message}`);
  return undefined;
};

/**
 * A transform is a name, or a map from its name to its argument. The transform `map` may have a `default` beside it.
 */
const nameAndArgument = (entry: unknown): { name: string; argument: TransformArgument } | undefined => {
  if (typeof entry === 'string') return { name: entry, argument: { value: undefined } };
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return undefined;
  const { default: fallback, ...rest } = entry as Record<string, unknown>;
  const names = Object.keys(rest);
  const name = names[0];
  if (name === undefined || names.length > 1) return undefined;
  return { name, argument: { value: rest[name], fallback: 'default' in entry ? (fallback ?? null) : undefined } };
};

/** Whether the last step has this name. The last step decides the kind of the value. */
export const endsWith = (steps: readonly Step[], name: TransformName): boolean => steps.at(-1)?.name === name;
