import type { Scalar, Step } from './transforms.js';
import type { ImportObject, Target } from './targets.js';
import type { Template } from './template.js';

/** Where a field's value comes from. */
export type Source =
  | { readonly kind: 'column'; readonly column: string }
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'constant'; readonly value: Scalar };

/** What becomes of a field whose value is empty: left out, its row refused, or another value taken. */
export type WhenEmpty =
  { readonly kind: 'skip' } | { readonly kind: 'reject' } | { readonly kind: 'value'; readonly value: Scalar };

/** One source of a field with what happens to it on its way. */
export interface FieldSource {
  readonly source: Source;
  readonly steps: readonly Step[];
}

/** One entry of the mapping's `fields`. Only a target that is a list has more than one source. */
export interface MappedField {
  readonly target: Target;
  readonly sources: readonly FieldSource[];
  readonly whenEmpty: WhenEmpty;
}

/** Rows that are left out on purpose. */
export interface SkipRule {
  readonly column: string;
  readonly matches: (text: string) => boolean;
}

/** A place in the mapping file where a column of the CSV file is named. */
export interface ColumnUse {
  readonly column: string;
  /** `sales.yaml:12: fields.name`, the start of the message when the CSV file lacks the column. */
  readonly place: string;
}

/** A mapping file, checked and compiled. */
export interface Mapping {
  readonly object: ImportObject;
  /** Id or name of the pipeline; the command line wins over it. */
  readonly pipeline: string | undefined;
  /** Guessed from the file where absent; the command line wins over both. */
  readonly delimiter: string | undefined;
  readonly encoding: string | undefined;
  /** Ids of stages by label, when the mapping gives them itself. */
  readonly stages: ReadonlyMap<string, string>;
  /** Clean-ups of columns, applied before anything else reads them. */
  readonly columns: ReadonlyMap<string, readonly Step[]>;
  readonly skipWhen: readonly SkipRule[];
  readonly fields: readonly MappedField[];
  readonly columnUses: readonly ColumnUse[];
}
