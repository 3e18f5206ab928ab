/** The operators of filters, by the names that the tree uses. */
export declare const operators: readonly ['eq', 'neq', 'contains', 'not_contains', 'starts_with', 'ends_with', 'in', 'not_in', 'gt', 'gte', 'lt', 'lte', 'between', 'empty', 'not_empty', 'contains_all', 'contains_none'];
/** One of {@link operators}. */
export type Operator = (typeof operators)[number];
/** Aliases that requests may use. */
export declare const operatorAliases: Readonly<Record<string, Operator>>;
/**
 * How the values of a field compare, which decides its operators and what values they take.
 * `instant` is Unix milliseconds, `timestamp` the same in a custom field, `datetime`, `date` and `time` fixed-width text,
 * `checkbox` 0 or 1 as its indexed column has it, `option` one exact value, `option_set` and `member_set` several;
 * `whole` is a date range or location named without a part; it takes only the operators `empty` and `not_empty`.
 */
export declare const filterKinds: readonly ['text', 'email', 'domain', 'uuid', 'number', 'boolean', 'checkbox', 'instant', 'timestamp', 'datetime', 'date', 'time', 'option', 'option_set', 'member_set', 'whole'];
/** One of {@link filterKinds}. */
export type FilterKind = (typeof filterKinds)[number];
/** The operators of fields of this kind. The parser, the documentation and the tests use this one table. */
export declare const operatorsFor: (kind: FilterKind) => readonly Operator[];
/** The operator of that exact name or alias, or null. */
export declare const findOperator: (name: string) => Operator | null;
