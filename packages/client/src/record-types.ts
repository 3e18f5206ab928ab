/** Values of custom fields by slug, as an organization defines them. */
export type CustomValues = object;

/** The custom fields of each kind of record: the parameter of `createClient`. */
export interface CustomFieldTypes {
  readonly opportunities: CustomValues;
  readonly accounts: CustomValues;
  readonly contacts: CustomValues;
}

/** The custom fields of a client without a type parameter: values of any type, under any slug. */
export interface AnyCustomFields {
  readonly opportunities: Record<string, unknown>;
  readonly accounts: Record<string, unknown>;
  readonly contacts: Record<string, unknown>;
}

/** Properties that contain a record or a list of records. */
type Holder = 'opportunity' | 'opportunities' | 'account' | 'accounts' | 'contact' | 'contacts';

/** A response of the API, with the type of its custom values. */
export type WithCustomFields<T, C> = T extends readonly (infer Item)[]
  ? WithCustomFields<Item, C>[]
  : {
      [K in keyof T]: K extends 'custom_fields' ? C : K extends Holder ? WithCustomFields<T[K], C> : T[K];
    };

/** A body, with the type of its custom values: all of them are optional, and `null` clears. */
export type WithCustomInput<T, C> = {
  [K in keyof T]: K extends 'custom_fields'
    ? { [S in keyof C]?: C[S] | null } | Extract<T[K], null | undefined>
    : K extends Holder
      ? WithCustomInput<T[K], C>
      : T[K];
};

type OptionalKeys<R> = { [K in keyof R]-?: object extends Pick<R, K> ? K : never }[keyof R];

/** The names in a comma-separated list. */
type Names<F extends string> = F extends `${infer First},${infer Rest}` ? First | Names<Rest> : F;

/**
 * A record narrowed by `fields`: the properties that every record has, and the named ones. Names that are only known at run time
 * narrow nothing.
 */
export type Selected<R, F extends string> = string extends F
  ? R
  : Omit<R, OptionalKeys<R>> & Required<Pick<R, Extract<Names<F>, OptionalKeys<R>>>>;

/** A response with records narrowed by `fields`. */
export type SelectedIn<T, F extends string> = {
  [K in keyof T]: K extends Holder
    ? T[K] extends readonly (infer Item)[]
      ? Selected<Item, F>[]
      : Selected<T[K], F>
    : T[K];
};

/** A search whose `fields` narrows the type of the records. */
export type SearchFor<B, F extends string> = Omit<B, 'fields'> & { readonly fields?: F | readonly F[] | null };
