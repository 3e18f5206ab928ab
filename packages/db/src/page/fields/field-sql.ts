/** The SQL type in which the values of a field are compared. */
export type ComparisonType = 'text' | 'numeric' | 'float8' | 'bigint' | 'uuid' | 'boolean' | 'timestamptz';

/** How to compare and sort by a field of the record `r`. */
export interface FieldSql {
  /** `scalar` for most; `set`: a jsonb array; `whole`: jsonb, for a date range or location named without a part. */
  readonly form: 'scalar' | 'set' | 'whole';
  /** The whole value. Text compares in code-point order. */
  readonly expression: string;
  readonly type: ComparisonType;
  /** The sort key: the value itself, or the first 200 code points of a text. */
  readonly key: string;
  /** Whether the sort key is cut to the start of the value. */
  readonly isKeyCut: boolean;
  readonly nullable: boolean;
  /** Whether an index of the record's table has {@link key} directly after organization and pipeline. */
  readonly isIndexed: boolean;
}

interface ScalarOptions {
  readonly key?: string;
  readonly isIndexed?: boolean;
}

/** A single-valued field whose SQL is already generated. */
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
 * A text whose SQL is generated on first use. Generating it may bind parameters, and PostgreSQL rejects a statement with a parameter
 * that its text does not use.
 *
 * @param column - the column with the sort key; null to cut the key from the text
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

/** A text whose SQL has no parameters of its own. */
export const text = (expression: string, isIndexed = false): FieldSql => lazyText(() => expression, null, isIndexed);

/** A column of the account, contact or member that the record `r` refers to. */
export const related = (table: string, column: string, key: string): string =>
  `(SELECT x.${column} FROM ${table} x WHERE x.organization_id = $1 AND x.id = r.${key})`;
