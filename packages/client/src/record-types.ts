import type * as types from './types.js';

/** The custom fields of each kind of record, by slug: the parameter of `createClient`. `crm types` writes it. */
export interface CustomFieldTypes {
  readonly opportunities: object;
  readonly accounts: object;
  readonly contacts: object;
}

/** The custom fields of a client without a type parameter: values of any type, under any slug. */
export type AnyCustomFields = Record<keyof CustomFieldTypes, Record<string, unknown>>;

declare const date: unique symbol;
type Dated = { readonly [date]?: true };

/** A day or an instant as responses have it, a text or Unix milliseconds. Bodies also accept a `Date`. */
export type CrmDate<T extends string | number = string> = T & Dated;

/** A custom value of the type `date_range`. */
export type CrmDateRange = Record<'start' | 'end', CrmDate | null>;

/** A custom value of the type `location`. Bodies may leave out parts. */
export type CrmLocation = Record<'address' | 'city' | 'region' | 'postal_code' | 'country', string | null> &
  Record<'lat' | 'lng', number | null> & { formatted: string };

/** Properties that contain a record or a list of records. */
type Holder = 'opportunity' | 'opportunities' | 'account' | 'accounts' | 'contact' | 'contacts';

/** The custom values that a call returns: those in `F`, or all for `custom_fields`. */
type ValuesOf<C, F> = 'custom_fields' extends (string extends keyof C ? 'custom_fields' : F)
  ? C
  : { [S in keyof C as `custom__${S & string}` extends F ? S : never]: C[S] };

/** A record as a call returns it: of its optional fields only those in `F`, and with typed custom values. */
export type RecordOf<R, C, F> = {
  [K in keyof R as object extends Pick<R, K> ? Extract<K, F> : K]-?: K extends 'custom_fields' ? ValuesOf<C, F> : R[K];
};

/** A response with such records. */
export type ResponseOf<T, C, F> = {
  [K in keyof T]: K extends Holder
    ? T[K] extends readonly (infer R)[]
      ? RecordOf<R, C, F>[]
      : RecordOf<T[K], C, F>
    : T[K];
};

/** A value in a body: `null` clears it. */
type InputOf<V> =
  (V extends Dated ? V | Date : V extends CrmDateRange | CrmLocation ? { [P in keyof V]?: InputOf<V[P]> } : V) | null;

/** A body with typed custom values, in `custom_fields` or as `custom__<slug>`. Dates may be a `Date`. */
export type BodyOf<T, C> = T extends object
  ? {
      [K in keyof T as K extends `custom__${string}` ? never : K]: K extends 'custom_fields'
        ? { [S in keyof C]?: InputOf<C[S]> } | Extract<T[K], null | undefined>
        : K extends 'opportunity'
          ? BodyOf<T[K], C>
          : K extends 'close_date' | 'next_action_date'
            ? T[K] | Date
            : T[K];
    } & ('custom_fields' extends keyof T ? { [S in keyof C & string as `custom__${S}`]?: InputOf<C[S]> } : unknown)
  : T;

/** The names in `fields`. */
export type FieldName<R, C> = (keyof R & string) | 'custom_fields' | `custom__${keyof C & string}`;

/** Such names, or `default`: the fields of a call without `fields`. */
export type FieldOrDefault<R, C> = FieldName<R, C> | 'default';

/** The fields that the names `F` select, if the call returns `D` without `fields`. */
export type Selected<F, D> = 'default' extends F ? F | D : F;

/** The names in sorts and filters, with the parts of date ranges and locations, as in `custom__site.city`. */
export type ValueName<R, C> =
  | Exclude<keyof R & string, `additional_${'contacts' | 'domains' | 'emails'}` | 'custom_fields'>
  | {
      [S in keyof C & string]-?: NonNullable<C[S]> extends CrmDateRange | CrmLocation
        ? `custom__${S}` | `custom__${S}.${keyof NonNullable<C[S]> & string}`
        : `custom__${S}`;
    }[keyof C & string];

/** A key of a sort: `name`, `name:desc` or `{ field: 'name', direction: 'desc' }`. */
export type SortOf<N extends string> =
  N | `${N}:asc` | `${N}:desc` | { readonly field: N; readonly direction?: 'asc' | 'desc' };

/** A condition on a field, or a combination of conditions. A value may be a `Date`. */
export type FilterOf<N extends string> =
  | { [K in keyof types.FilterCondition]: K extends 'field' ? N : types.FilterCondition[K] }
  | { readonly and: readonly FilterOf<N>[] }
  | { readonly or: readonly FilterOf<N>[] }
  | { readonly not: FilterOf<N> };

/** A search or summary with checked names: `F` in `fields`, `S` in filters, and in sorts unless `K` has these, `R` in filters only. */
export type SearchOf<B, F extends string, S extends string, R extends string, K extends string = S> = {
  [N in keyof B]: N extends 'fields'
    ? F | readonly F[] | null
    : N extends 'sort'
      ? SortOf<K> | readonly SortOf<K>[] | null
      : N extends 'filters'
        ? FilterOf<S | R> | readonly FilterOf<S | R>[] | null
        : B[N];
};

/** A change of a record with the type `R`. A custom field that had no value is null in `previous`. */
type Change<O extends string, R> = {
  [K in keyof types.Event]: K extends 'object'
    ? O
    : K extends 'type'
      ? Extract<types.Event[K], `${O}.${string}`>
      : K extends 'record'
        ? R | null
        : K extends 'previous'
          ? { [N in keyof R]?: N extends 'custom_fields' ? { [S in keyof R[N]]?: R[N][S] | null } : R[N] } | null
          : types.Event[K];
};

/** The changes of each object. Records in events have the ids of other records, not their names. */
interface Changes<C extends CustomFieldTypes> {
  opportunity: Change<
    'opportunity',
    Omit<
      RecordOf<types.Opportunity, C['opportunities'], string>,
      | `${'owner' | 'contact'}_email`
      | `${'account' | 'pipeline' | 'stage' | 'contact_first' | 'contact_last'}_name`
      | ('account_domain' | 'additional_contacts')
    > & { additional_contact_ids: string[] }
  >;
  account: Change<'account', RecordOf<types.Account, C['accounts'], string>>;
  contact: Change<'contact', RecordOf<types.Contact, C['contacts'], string>>;
  note: Change<'note', Omit<types.Note, 'account_domains' | 'contact_emails'>>;
}

/** A change of a record: a union by `object`. */
export type CrmEvent<
  C extends CustomFieldTypes = AnyCustomFields,
  O extends types.Event['object'] = types.Event['object'],
> = Changes<C>[O];

/** A page `P` of such changes. */
export type EventsIn<P, E> = { [K in keyof P]: K extends 'events' ? E[] : P[K] };
