import type { Scalar, Step } from './transforms.js';
import type { ImportObject, Target } from '../targets.js';
import type { Template } from './template.js';

/** The source of a field's value. */
export type Source =
  | { readonly kind: 'column'; readonly column: string }
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'constant'; readonly value: Scalar };

/** What happens if a field is empty: it is left out, its row is rejected, or another value is used. */
export type WhenEmpty =
  { readonly kind: 'skip' } | { readonly kind: 'reject' } | { readonly kind: 'value'; readonly value: Scalar };

/** One source of a field, with its transforms. */
export interface FieldSource {
  readonly source: Source;
  readonly steps: readonly Step[];
}

/** One entry of the mapping's `fields`. Only list targets and custom fields may have more than one source. */
export interface MappedField {
  readonly target: Target;
  readonly sources: readonly FieldSource[];
  readonly whenEmpty: WhenEmpty;
}

/** A rule that skips rows. */
export interface SkipRule {
  readonly column: string;
  readonly matches: (text: string) => boolean;
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
  readonly skipWhen: readonly SkipRule[];
  readonly fields: readonly MappedField[];
  readonly columnUses: readonly ColumnUse[];
}
