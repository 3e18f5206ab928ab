/** The SQL type in which values of a field compare. */
export type ComparisonType = 'text' | 'numeric' | 'float8' | 'bigint' | 'uuid' | 'boolean' | 'timestamptz';

/** A field of the record `r` in comparison form. */
export interface FieldSql {
  /** `scalar` for most; `set`: a jsonb array; `whole`: jsonb, for a date range or location named without a part. */
  readonly form: 'scalar' | 'set' | 'whole';
  /** The whole value; text in code-point order. */
  readonly expression: string;
  readonly type: ComparisonType;
  /** The sort key: the value itself, or the first 200 code points of a text. */
  readonly key: string;
  /** Whether the sort key is only the beginning of a longer value. */
  readonly isKeyCut: boolean;
  readonly nullable: boolean;
  /** Whether an index of the record's own table has {@link key} right after organization and pipeline. */
  readonly isIndexed: boolean;
}

interface ScalarOptions {
  readonly key?: string;
  readonly isIndexed?: boolean;
}

/** A field whose SQL binds nothing. */
export const scalar = (
  expression: string,
  type: ComparisonType,
  nullable: boolean,
  options: ScalarOptions = {},
): FieldSql => ({
  form: 'scalar',
  expression,
  type,
  key: options.key ?? expression,
  isKeyCut: options.key !== undefined,
  nullable,
  isIndexed: options.isIndexed ?? false,
});

/** The sort key of a long text. */
export const first200 = (expression: string): string => `left(${expression}, 200)`;

/**
 * A text whose SQL is generated when it is first used. It may bind parameters, and PostgreSQL cannot infer the type of a
 * parameter that the statement does not mention.
 *
 * @param column - holds the sort key; null where it is cut from the text
 */
export const lazyText = (make: () => string, column: string | null = null, isIndexed = column !== null): FieldSql => {
  let made: string | undefined;
  const collated = (): string => (made ??= `(${make()}) COLLATE "C"`);
  return {
    form: 'scalar',
    type: 'text',
    nullable: true,
    isKeyCut: true,
    isIndexed,
    get expression() {
      return collated();
    },
    get key() {
      return column === null ? `${first200(collated())} COLLATE "C"` : `r.${column}`;
    },
  };
};

/** A text whose SQL binds nothing. */
export const text = (expression: string, isIndexed = false): FieldSql => lazyText(() => expression, null, isIndexed);

/** A column of the account, contact or member that the record `r` refers to. */
export const related = (table: string, column: string, key: string): string =>
  `(SELECT x.${column} FROM ${table} x WHERE x.organization_id = r.organization_id AND x.id = r.${key})`;
