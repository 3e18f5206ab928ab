import { closed, compileFile, oneOf } from '@crm/contract';
import { type Static, Type } from 'typebox';

import { type KeyPath, YamlFile } from '../../yaml-file.js';
import { encodings } from '../source/encoding.js';
import { findTarget, importObjects, requiredTargets, targetNames, type ImportObject, type Target } from '../targets.js';
import { compileTemplate, type Template } from './template.js';
import { compileStep, transformNames, type Scalar, type Step, type TransformName } from './transforms.js';

const text = Type.Unsafe<string | number>({ type: ['string', 'number'], minLength: 1 });
const scalar = Type.Unsafe<Scalar>({ type: ['string', 'number', 'boolean'], minLength: 1 });
const mapOf = <T>(value: object) => Type.Unsafe<Record<string, T>>({ type: 'object', additionalProperties: value });
/** A list, or one entry without a list. */
const oneOrMore = <T>(entry: object) =>
  Type.Unsafe<T | readonly T[]>({ ...entry, type: ['object', 'array'], items: entry });

const SkipEntry = closed(
  { column: text, in: Type.Optional(Type.Array(scalar)), empty: Type.Optional(Type.Literal(true)) },
  {},
);
const FieldEntry = closed(
  {
    column: Type.Optional(text),
    template: Type.Optional(Type.String({ minLength: 1 })),
    value: Type.Optional(scalar),
    // Transforms are checked when they are compiled, because each has its own form.
    transform: Type.Optional(Type.Unknown()),
    empty: Type.Optional(
      Type.Unsafe<'skip' | 'reject' | { readonly value: Scalar }>({
        type: ['string', 'object'],
        properties: { value: scalar },
        required: ['value'],
        additionalProperties: false,
      }),
    ),
  },
  {},
);
const MappingFile = closed(
  {
    object: oneOf(importObjects, {}),
    pipeline: Type.Optional(text),
    pipeline_id: Type.Optional(text),
    delimiter: Type.Optional(text),
    encoding: Type.Optional(oneOf(encodings, {})),
    stages: Type.Optional(mapOf<string | number>(text)),
    columns: Type.Optional(mapOf<unknown>({})),
    skip_when: Type.Optional(oneOrMore<Static<typeof SkipEntry>>(SkipEntry)),
    fields: mapOf<Static<typeof FieldEntry> | readonly Static<typeof FieldEntry>[]>(
      oneOrMore<Static<typeof FieldEntry>>(FieldEntry),
    ),
  },
  {},
);

/** The source of a field's value, with its transforms. */
export interface FieldSource {
  readonly source:
    | { readonly kind: 'column'; readonly column: string }
    | { readonly kind: 'template'; readonly template: Template }
    | { readonly kind: 'constant'; readonly value: Scalar };
  readonly steps: readonly Step[];
}

/** One entry of the mapping's `fields`. Only list targets and custom fields may have more than one source. */
export interface MappedField {
  readonly target: Target;
  readonly sources: readonly FieldSource[];
  /** What happens if the field is empty: it is left out, its row is rejected, or another value is used. */
  readonly whenEmpty: 'skip' | 'reject' | { readonly value: Scalar };
}

/** A use of a CSV column in the mapping file. */
export interface ColumnUse {
  readonly column: string;
  /** `sales.yaml:12: fields.name`, the start of the message if the CSV file has no such column. */
  readonly place: string;
}

/** A validated and compiled mapping file. */
export interface Mapping {
  readonly object: ImportObject;
  /** The id or name of the pipeline. The command line overrides it. */
  readonly pipeline: string | undefined;
  /** Guessed from the file if undefined. The command line overrides it. */
  readonly delimiter: string | undefined;
  readonly encoding: string | undefined;
  /** Ids of stages by label, if the mapping contains them. */
  readonly stages: ReadonlyMap<string, string>;
  /** Transforms of columns, applied before fields read the columns. */
  readonly columns: ReadonlyMap<string, readonly Step[]>;
  /** Rules that skip rows. */
  readonly skipWhen: readonly { readonly column: string; readonly matches: (text: string) => boolean }[];
  readonly fields: readonly MappedField[];
  readonly columnUses: readonly ColumnUse[];
}

/** The first line of the error about a mapping. */
export const mappingHeading = 'The mapping cannot be used; nothing was sent.';

/** Compiles the parts of a mapping file, and records its problems with their lines. */
class Compiler {
  readonly columnUses: ColumnUse[] = [];

  constructor(private readonly file: YamlFile) {}

  column(path: KeyPath, name: string | number): string {
    this.columnUses.push({ column: String(name), place: this.file.place(path) });
    return String(name);
  }

  /** A list of transforms: `trim`, `[trim, lower]` or `[{ map: { GTXPro: GTX Pro }, default: Other }]`. */
  steps(path: KeyPath, value: unknown): readonly Step[] {
    if (value === undefined) return [];
    const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
    const steps = entries.flatMap((entry, index) => this.#step(Array.isArray(value) ? [...path, index] : path, entry));
    const final = steps.findIndex((step) => step.kind === 'final');
    if (final !== -1 && final < steps.length - 1)
      this.file.problem(path, `${steps[final]?.name} must be the last transform`);
    if (steps.filter((step) => step.kind === 'split').length > 1)
      this.file.problem(path, 'split can only be used once');
    return steps;
  }

  #step(path: KeyPath, entry: unknown): readonly Step[] {
    const { default: fallback, ...rest } = (
      typeof entry === 'string' ? { [entry]: undefined } : { ...(entry as object | null) }
    ) as Record<string, unknown>;
    const [given, second] = Object.keys(rest);
    const name = second === undefined ? transformNames.find((candidate) => candidate === given) : undefined;
    if (given === undefined || name === undefined) {
      const shown = given === undefined ? '' : `"${given}" is unknown; `;
      this.file.problem(path, `${shown}a transform is one of ${transformNames.join(', ')}`);
      return [];
    }
    const hasFallback = typeof entry === 'object' && entry !== null && 'default' in entry;
    if (hasFallback && name !== 'map') this.file.problem(path, 'only map takes a default');
    const step = compileStep(name, { value: rest[name], fallback: hasFallback ? (fallback ?? null) : undefined });
    if (step.ok) return [step.value];
    this.file.problem(path, `${name}: ${step.message}`);
    return [];
  }

  field(
    path: KeyPath,
    entry: Static<typeof FieldEntry> | readonly Static<typeof FieldEntry>[],
    target: Target,
  ): MappedField {
    const isList = Array.isArray(entry);
    const entries = [entry].flat() as readonly Static<typeof FieldEntry>[];
    if (isList && target.kind !== 'list' && target.kind !== 'custom')
      this.file.problem(path, 'takes one value; to join columns use template:');
    let whenEmpty: MappedField['whenEmpty'] = 'skip';
    const sources = entries.flatMap((one, index): readonly FieldSource[] => {
      const at = isList ? [...path, index] : path;
      whenEmpty = one.empty ?? whenEmpty;
      if (typeof whenEmpty === 'string' && !['skip', 'reject'].includes(whenEmpty))
        this.file.problem([...at, 'empty'], 'must be skip, reject or { value: … }');
      const source = this.#source(at, one);
      const steps = this.steps([...at, 'transform'], one.transform);
      return source === undefined ? [] : [{ source, steps: this.#stepsFor(at, target, source, steps) }];
    });
    return { target, sources, whenEmpty };
  }

  #source(path: KeyPath, entry: Static<typeof FieldEntry>): FieldSource['source'] | undefined {
    const { column, template: pattern, value } = entry;
    if ([column, pattern, value].filter((given) => given !== undefined).length !== 1) {
      this.file.problem(path, 'needs exactly one of column, value, template');
      return undefined;
    }
    if (value !== undefined) return { kind: 'constant', value };
    if (pattern === undefined) return { kind: 'column', column: this.column([...path, 'column'], column ?? '') };
    const template = compileTemplate(pattern);
    if (!template.ok) {
      this.file.problem([...path, 'template'], template.message);
      return undefined;
    }
    for (const name of template.value.columns) this.column([...path, 'template'], name);
    return { kind: 'template', template: template.value };
  }

  /** Adapts the steps to the target: an amount is always read as a number, and a date needs a format. */
  #stepsFor(path: KeyPath, target: Target, from: FieldSource['source'], steps: readonly Step[]): readonly Step[] {
    const isNumber = from.kind === 'constant' && typeof from.value === 'number';
    const endsWith = (name: TransformName): boolean => steps.at(-1)?.name === name;
    if (steps.some(({ kind }) => kind === 'split') && target.kind !== 'list' && target.kind !== 'custom')
      this.file.problem(path, `split makes a list, and ${target.name} takes one value`);
    if (target.kind === 'instant' && !isNumber && !endsWith('date') && !endsWith('number')) {
      this.file.problem(
        path,
        'needs a date format, such as transform: [{ date: yyyy-MM-dd }]; or number for epoch milliseconds',
      );
    }
    if (target.kind !== 'number' || isNumber || endsWith('number')) return steps;
    const number = compileStep('number', { value: undefined });
    return number.ok ? [...steps, number.value] : steps;
  }
}

/**
 * Reads a mapping file (YAML or JSON).
 *
 * @throws CliError (78) that names every problem with its key and line.
 */
export const readMapping = (path: string, content: string): Mapping => {
  const file = new YamlFile(path, content, mappingHeading);
  file.check(compileFile(MappingFile));
  const top = file.value as Static<typeof MappingFile>;
  const { object } = top;
  const compiler = new Compiler(file);
  const pipelineKey = top.pipeline === undefined ? 'pipeline_id' : 'pipeline';
  if (top.pipeline !== undefined && top.pipeline_id !== undefined)
    file.problem(['pipeline'], 'give pipeline_id or pipeline, not both');
  const pipeline = top[pipelineKey];
  if (pipeline !== undefined && object !== 'opportunity') file.problem([pipelineKey], 'applies only to opportunities');
  const columns = Object.entries(top.columns ?? {}).map(([column, transforms]) => {
    const steps = compiler.steps(['columns', compiler.column(['columns', column], column)], transforms);
    if (steps.some((step) => step.kind !== 'text'))
      file.problem(['columns', column], 'use number, boolean, date and split in the fields that read the column');
    return [column, steps] as const;
  });
  const isRuleList = Array.isArray(top.skip_when);
  const rules = (top.skip_when === undefined ? [] : [top.skip_when].flat()) as readonly Static<typeof SkipEntry>[];
  const skipWhen = rules.map(({ column, in: listed, empty }, index) => {
    const at: KeyPath = isRuleList ? ['skip_when', index] : ['skip_when'];
    if ((listed === undefined) === (empty === undefined)) file.problem(at, 'needs either in: [values] or empty: true');
    const values = new Set(listed?.map(String));
    const matches = (cell: string): boolean => (empty === true ? cell.trim() === '' : values.has(cell));
    return { column: compiler.column([...at, 'column'], column), matches };
  });
  const fields = Object.entries(top.fields).flatMap(([name, entry]) => {
    const target = findTarget(object, name);
    if (target !== undefined) return [compiler.field(['fields', name], entry, target)];
    file.problem(['fields', name], `unknown; the fields of ${object} are ${targetNames(object).join(', ')}`);
    return [];
  });
  for (const name of requiredTargets(object)) {
    if (top.fields[name] === undefined && top.fields['external_id'] === undefined)
      file.problem(['fields'], `${name} is missing; give it, or external_id`);
  }
  file.throwIfAny();
  return {
    object,
    pipeline: pipeline === undefined ? undefined : String(pipeline),
    encoding: top.encoding,
    delimiter: top.delimiter === 'tab' ? '\t' : top.delimiter === undefined ? undefined : String(top.delimiter),
    stages: new Map(Object.entries(top.stages ?? {}).map(([label, id]) => [label, String(id)])),
    columns: new Map(columns),
    skipWhen,
    fields,
    columnUses: compiler.columnUses,
  };
};
