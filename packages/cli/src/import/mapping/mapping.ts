import { basename } from 'node:path';

import { closed, compileFile, oneOf } from '@crm/contract';
import { fail, isBlank, ok, type Result } from '@crm/domain';
import { type Static, Type } from 'typebox';

import { type KeyPath, YamlFile } from '../../yaml-file.js';
import { findTarget, importObjects, requiredTargets, targetNames, type ImportObject, type Target } from '../targets.js';
import { canonicalEncoding, encodingsText } from '../source/encoding.js';
import type { Row } from './convert-row.js';
import { compileTemplate } from './template.js';
import {
  applySteps,
  bareTransforms,
  compileStep,
  finalTransforms,
  StepEntry,
  transformNames,
  type Scalar,
  type Step,
  type TransformName,
} from './transforms.js';

const text = Type.Unsafe<string | number>({ type: ['string', 'number'], minLength: 1 });
const scalar = Type.Unsafe<Scalar>({ type: ['string', 'number', 'boolean'], minLength: 1 });
const mapOf = <T>(value: object) => Type.Unsafe<Record<string, T>>({ type: 'object', additionalProperties: value });
/** A list, or one entry without a list. */
const oneOrMore = <T>(entry: object, ...types: string[]) =>
  Type.Unsafe<T | readonly T[]>({
    ...entry,
    type: ['object', ...types, 'array'],
    items: { ...entry, type: ['object', ...types] },
  });

/** `trim`, `[trim, lower]` or `[{ map: { GTXPro: GTX Pro }, default: Other }]`. */
const Steps = oneOrMore<string | Static<typeof StepEntry>>(StepEntry, 'string');

const SkipEntry = closed(
  { column: text, in: Type.Optional(Type.Array(scalar)), empty: Type.Optional(Type.Literal(true)) },
  {},
);
const FieldEntry = closed(
  {
    column: Type.Optional(text),
    template: Type.Optional(Type.String({ minLength: 1 })),
    value: Type.Optional(scalar),
    transform: Type.Optional(Steps),
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
const FieldEntries = oneOrMore<Static<typeof FieldEntry>>(FieldEntry);
const MappingFile = closed(
  {
    object: oneOf(importObjects),
    pipeline: Type.Optional(text),
    pipeline_id: Type.Optional(text),
    delimiter: Type.Optional(text),
    encoding: Type.Optional(Type.String({ minLength: 1 })),
    header_line: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    escaped_formulas: Type.Optional(Type.Boolean()),
    stages: Type.Optional(mapOf<string | number>(text)),
    columns: Type.Optional(mapOf<Static<typeof Steps>>(Steps)),
    skip_when: Type.Optional(oneOrMore<Static<typeof SkipEntry>>(SkipEntry)),
    fields: mapOf<Static<typeof FieldEntries>>(FieldEntries),
  },
  {},
);

/** One entry of the mapping's `fields`. */
export interface MappedField {
  /** The name of its target. */
  readonly name: string;
  /** The value in a row. Undefined if it is empty, or the fault of the row. */
  readonly read: (row: Row) => Result<Scalar | readonly Scalar[] | undefined>;
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
  readonly headerLine: number | undefined;
  /** Whether formulas begin with an apostrophe, as `crm export` writes them. */
  readonly escapedFormulas: boolean | undefined;
  /** Ids of stages by label, if the mapping contains them. */
  readonly stages: ReadonlyMap<string, string>;
  /** Transforms of columns, applied before fields read the columns. */
  readonly columns: ReadonlyMap<string, readonly Step[]>;
  /** Rules that skip rows. */
  readonly skipWhen: readonly ((row: Row) => boolean)[];
  readonly fields: readonly MappedField[];
  readonly columnUses: readonly ColumnUse[];
  /** The lines that `crm import init` marked CHECK and the user has not decided yet. */
  readonly undecided: readonly string[];
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

  steps(path: KeyPath, value: Static<typeof Steps> = []): readonly Step[] {
    const steps = [value]
      .flat()
      .flatMap((entry, index) => this.#step(Array.isArray(value) ? [...path, index] : path, entry));
    const early = steps.slice(0, -1).find(({ name }) => finalTransforms.includes(name));
    if (early !== undefined) this.file.problem(path, `${early.name} must be the last transform`);
    return steps;
  }

  #step(path: KeyPath, entry: string | Static<typeof StepEntry>): readonly Step[] {
    const { default: fallback, ...given } = typeof entry === 'string' ? { [entry]: {}, default: undefined } : entry;
    const names = typeof entry === 'string' ? bareTransforms : transformNames;
    const [name, second] = Object.keys(given);
    const known = second === undefined ? names.find((candidate) => candidate === name) : undefined;
    if (known === undefined) {
      const others = transformNames.filter((candidate) => !bareTransforms.includes(candidate)).join(', ');
      this.file.problem(path, `must be ${bareTransforms.join(', ')}, or one of ${others} with its argument`);
      return [];
    }
    if (fallback !== undefined && known !== 'map') this.file.problem(path, 'only map takes a default');
    const step = compileStep(known, Reflect.get(given, known), fallback);
    if (step.ok) return [step.value];
    this.file.problem(path, `${known}: ${step.message}`);
    return [];
  }

  field(path: KeyPath, entry: Static<typeof FieldEntries>, target: Target): MappedField {
    const takesMany = target.kind === 'list' || target.kind === 'custom';
    const entries = [entry].flat();
    if (Array.isArray(entry) && !takesMany) this.file.problem(path, 'takes one value; to join columns use template:');
    const sources = entries.map((one, index) =>
      this.#source(Array.isArray(entry) ? [...path, index] : path, one, target),
    );
    const isSplit = sources.some(({ steps }) => steps.some(({ name }) => name === 'split'));
    const isList = target.kind === 'list' || (takesMany && (isSplit || entries.length > 1));
    const whenEmpty = entries.findLast(({ empty }) => empty !== undefined)?.empty ?? 'skip';
    const read: MappedField['read'] = (row) => {
      const values: Scalar[] = [];
      for (const { start, steps } of sources) {
        const applied = applySteps(steps, start(row));
        if (!applied.ok) return applied;
        values.push(...applied.value);
      }
      if (values.length === 0 && whenEmpty === 'reject') return fail('is empty');
      if (values.length === 0 && typeof whenEmpty === 'object') values.push(whenEmpty.value);
      return ok(isList && values.length > 0 ? values : values[0]);
    };
    return { name: target.name, read };
  }

  /** One source of a field: the value that it starts with, and its transforms. */
  #source(path: KeyPath, entry: Static<typeof FieldEntry>, target: Target) {
    const { value, empty } = entry;
    if (typeof empty === 'string' && !['skip', 'reject'].includes(empty))
      this.file.problem([...path, 'empty'], 'must be skip, reject or { value: … }');
    const start = this.#start(path, entry);
    const steps = this.steps([...path, 'transform'], entry.transform);
    const endsWith = (name: TransformName): boolean => steps.at(-1)?.name === name;
    if (steps.some(({ name }) => name === 'split') && target.kind !== 'list' && target.kind !== 'custom')
      this.file.problem(path, `split makes a list, and ${target.name} takes one value`);
    if (target.kind === 'instant' && typeof value !== 'number' && !endsWith('date') && !endsWith('number')) {
      this.file.problem(
        path,
        'needs a date format, such as transform: [{ date: yyyy-MM-dd }]; or number for epoch milliseconds',
      );
    }
    // An amount is always read as a number.
    const isText = target.kind === 'number' && typeof value !== 'number' && !endsWith('number');
    return { start, steps: isText ? [...steps, ...this.#step(path, 'number')] : steps };
  }

  #start(path: KeyPath, { column, template: pattern, value }: Static<typeof FieldEntry>): (row: Row) => Scalar {
    if ([column, pattern, value].filter((given) => given !== undefined).length !== 1)
      this.file.problem(path, 'needs exactly one of column, value, template');
    if (column !== undefined) {
      const name = this.column([...path, 'column'], column);
      return (row) => row.get(name) ?? '';
    }
    if (pattern === undefined) return () => value ?? '';
    const template = compileTemplate(pattern);
    if (!template.ok) {
      this.file.problem([...path, 'template'], template.message);
      return () => '';
    }
    for (const name of template.value.columns) this.column([...path, 'template'], name);
    return (row) => template.value.fill((name) => row.get(name) ?? '');
  }
}

/** JSON has no comments, so that such a text in it is a value. */
const undecidedLines = (path: string, content: string): readonly string[] =>
  content.trimStart().startsWith('{')
    ? []
    : content.split('\n').flatMap((line, index) => {
        const mark = /(?:^|\s)# (CHECK\b.*)/.exec(line)?.[1];
        return mark === undefined ? [] : [`${basename(path)}:${index + 1}: ${mark.trim()}`];
      });

/**
 * Reads a mapping file (YAML or JSON).
 *
 * @throws CliError (78) that names every problem with its key and line.
 */
export const readMapping = (path: string, content: string | Uint8Array): Mapping => {
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
    if (steps.some(({ name }) => name === 'split' || finalTransforms.includes(name)))
      file.problem(['columns', column], 'use number, boolean, date and split in the fields that read the column');
    return [column, steps] as const;
  });
  const skipWhen = [top.skip_when ?? []].flat().map(({ column: name, in: listed, empty }, index) => {
    const at: KeyPath = Array.isArray(top.skip_when) ? ['skip_when', index] : ['skip_when'];
    if ((listed === undefined) === (empty === undefined)) file.problem(at, 'needs either in: [values] or empty: true');
    const values = new Set(listed?.map(String));
    const column = compiler.column([...at, 'column'], name);
    return (row: Row): boolean => {
      const cell = row.get(column) ?? '';
      return empty === true ? isBlank(cell) : values.has(cell);
    };
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
  if (top.encoding !== undefined && canonicalEncoding(top.encoding) === undefined)
    file.problem(['encoding'], `must be ${encodingsText}`);
  file.throwIfAny();
  return {
    object,
    pipeline: pipeline === undefined ? undefined : String(pipeline),
    encoding: top.encoding,
    headerLine: top.header_line,
    escapedFormulas: top.escaped_formulas,
    delimiter: top.delimiter === 'tab' ? '\t' : top.delimiter === undefined ? undefined : String(top.delimiter),
    stages: new Map(Object.entries(top.stages ?? {}).map(([label, id]) => [label, String(id)])),
    columns: new Map(columns),
    skipWhen,
    fields,
    columnUses: compiler.columnUses,
    undecided: undecidedLines(path, file.text),
  };
};
