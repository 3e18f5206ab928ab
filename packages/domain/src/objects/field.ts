import type { References } from './change.js';
import type { ValueReader } from './value-readers.js';

/**
 * The kind of values of a system field, as read:
 * `text`, `email` and `domain` strings, `number`, `boolean`, `uuid` lower-case text, `epoch_ms` Unix milliseconds,
 * `timestamp` RFC 3339 text in UTC, `contact_list` the additional contacts of an opportunity, `text_list` texts.
 */
export type SystemFieldKind =
  'text' | 'email' | 'domain' | 'number' | 'boolean' | 'uuid' | 'epoch_ms' | 'timestamp' | 'contact_list' | 'text_list';

/** How requests set a field. */
export interface FieldWrite {
  /** How a sent value is read: a reader of values, or a lookup in the setup of the organization. */
  readonly as: ValueReader | 'stage' | 'stageLabel' | 'owner' | 'emails' | 'externalIds';
  /** The maximum length of a sent text, in code points. */
  readonly max?: number;
  /** Its description in bodies; by default that in records. */
  readonly about?: string;
  /** Its example in bodies; by default that in records. */
  readonly example?: unknown;
  /** Its name in bodies; by default that in records. */
  readonly name?: string;
  /** Another name that bodies may use. */
  readonly alias?: string;
  /** How a value under the alias is read, and its description; by default as under the name. */
  readonly aliasAs?: { readonly as: 'stageLabel'; readonly about: string; readonly example: string };
  /** The part of the body that has it; by default the part with the fields of the object. */
  readonly part?: 'related_objects';
  /** Whether it is the natural key, or the part of it that is not a reference: a create needs it or an `external_id`. */
  readonly isKey?: true;
  /** The key of a reference in the stored change. Other fields are stored in the column with the name of the field. */
  readonly reference?: keyof References;
  /** The columns that are computed from the value. Without it, the normalized form of a text is stored in `normalized`. */
  readonly derive?: (value: never) => Readonly<Record<string, unknown>>;
}

/** A system field of an object: a key of its records, and a name in `fields`, `sort` and filters. */
export interface FieldDescription {
  readonly name: string;
  readonly kind: SystemFieldKind;
  /** Whether it is in every record. The others are extras, present if `fields` names them. */
  readonly always?: true;
  /** Whether it always has a value. */
  readonly required?: true;
  readonly about: string;
  /** An example in documents: of an id, the name of the record. */
  readonly example?: unknown;
  /** Whether its numbers are whole. */
  readonly whole?: true;
  /** Whether opportunities store a copy, so that a change of it changes all of them. */
  readonly copied?: true;
  /** Whether whole values are compared exactly, as a key is, and not by their normalized text. */
  readonly exact?: true;
  /** How filters read a whole value of a field that requests cannot set: as the field of the other record from which it comes. */
  readonly readAs?: ValueReader;
  /**
   * Whether filters compare all records to which the field and a list beside it link, not only the one that it shows: a comparison holds
   * if it holds for one of them. Sorts use the shown value.
   */
  readonly anyLinked?: true;
  /** All values that a text can have. */
  readonly oneOf?: readonly string[];
  /** Whether it is computed for each read: only records of requests that name it have it, and nothing can sort or filter by it. */
  readonly onRequest?: true;
  /** Whether it is only in bodies, and not in records. */
  readonly isInput?: true;
  /** Absent for fields that only the gateways set. */
  readonly write?: FieldWrite;
}

/** The description of an object: its names, and its fields in the order of its records. */
export interface ObjectDescription {
  readonly one: 'account' | 'contact' | 'opportunity';
  /** With its article: `an account`. */
  readonly a: string;
  readonly many: 'accounts' | 'contacts' | 'opportunities';
  readonly fields: readonly FieldDescription[];
}

/** The id in another system, which every object has. */
export const externalId = {
  name: 'external_id',
  kind: 'text',
  exact: true,
  about: 'Its id in another system.',
  example: 'SF-0012',
  write: {
    as: 'name',
    about:
      'Id in another system, unique among records of this kind and case-sensitive. A create finds the record by it.',
  },
} as const satisfies FieldDescription;

/** The times and the version of a record. */
export const history = [
  { name: 'created_at', kind: 'timestamp', required: true, about: 'When it was created.' },
  { name: 'updated_at', kind: 'timestamp', required: true, about: 'When it last changed.' },
  {
    name: 'version',
    kind: 'number',
    whole: true,
    required: true,
    about: 'Increases with every change; the `ETag` begins with it.',
    example: 1,
  },
] as const satisfies readonly FieldDescription[];
