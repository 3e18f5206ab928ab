import { namesOf, type SqlStatement, type Tree, walk } from './sql-tree.js';

/** How far the value of an expression depends on more than its arguments. */
export type Volatility = 'immutable' | 'stable' | 'volatile';

/** What the rules know about a database. */
export interface KnownSchema {
  /** The types of the columns of each table. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Tables that Citus distributes by organization. */
  readonly tenantTables: ReadonlySet<string>;
  /** Tables that Citus copies to every server. */
  readonly copiedTables: ReadonlySet<string>;
  /** The volatility of functions by name. Of several functions with one name, that of the most volatile one. */
  readonly volatility: ReadonlyMap<string, Volatility>;
  /** The functions of the sources. */
  readonly ownFunctions: ReadonlySet<string>;
  /** Those that use tables, or call one that does. */
  readonly tableFunctions: ReadonlySet<string>;
}

/** The table of each alias in a statement. */
export const tablesOf = (tree: Tree): ReadonlyMap<string, string> => {
  const tables = new Map<string, string>();
  walk(tree, (type, node) => {
    if (type !== 'RangeVar' && type !== 'relation') return;
    const { relname, alias } = node as { relname?: string; alias?: { aliasname: string } };
    if (relname !== undefined) tables.set(alias?.aliasname ?? relname, relname);
  });
  return tables;
};

/** Looks up types and volatility of the expressions of one statement. */
export class Expressions {
  readonly #schema: KnownSchema;
  readonly #variables: ReadonlyMap<string, string>;
  readonly #tables: ReadonlyMap<string, string>;

  constructor({ tree, variables }: SqlStatement, schema: KnownSchema) {
    this.#schema = schema;
    this.#variables = variables;
    this.#tables = tablesOf(tree);
  }

  /** The type of a column or variable; whether it is a column. */
  #reference(node: Tree): { readonly type: string; readonly isColumn: boolean } {
    const [first = '', second] = namesOf(node.fields);
    const table = this.#tables.get(first);
    if (table !== undefined && second !== undefined)
      return { type: this.#schema.columns.get(table)?.get(second) ?? '', isColumn: true };
    const variable = this.#variables.get(first);
    if (variable === undefined) return { type: '', isColumn: true };
    const type = second === undefined ? variable : (this.#schema.columns.get(variable)?.get(second) ?? '');
    return { type, isColumn: false };
  }

  /** `timestamptz`, `interval` or another type name; empty if it is unknown. */
  typeOf(expression: unknown): string {
    const [[kind, node] = ['', {} as Tree]] = Object.entries((expression ?? {}) as Record<string, Tree>);
    if (kind === 'ColumnRef') return this.#reference(node).type;
    if (kind === 'TypeCast') return namesOf((node.typeName as Tree).names).at(-1) ?? '';
    if (kind === 'SQLValueFunction') return 'timestamptz';
    if (kind === 'FuncCall') return returnTypes[namesOf(node.funcname).at(-1) ?? ''] ?? '';
    if (kind === 'A_Expr' && node.kind === 'AEXPR_OP') {
      const types = [this.typeOf(node.lexpr), this.typeOf(node.rexpr)];
      if (!types.includes('timestamptz')) return types.includes('interval') ? 'interval' : '';
      return types[0] === types[1] ? 'interval' : 'timestamptz';
    }
    const args = (node.args ?? [node.lexpr, node.result, node.defresult]) as unknown[];
    return args.flatMap((one) => (one === undefined ? [] : [this.typeOf(one)])).find((type) => type !== '') ?? '';
  }

  /** The volatility of one node, without the expressions inside it. */
  volatilityOf(kind: string, node: Tree): Volatility {
    if (kind === 'SQLValueFunction') return 'stable';
    if (kind === 'FuncCall') return this.#schema.volatility.get(namesOf(node.funcname).at(-1) ?? '') ?? 'immutable';
    if (kind === 'TypeCast') {
      const to = this.typeOf({ TypeCast: node });
      const isConstant = 'A_Const' in (node.arg as Tree);
      const from = this.typeOf(node.arg);
      const isStable = from !== to && (zoned.has(to) || (zoned.has(from) && to === 'text'));
      return isStable && !isConstant ? 'stable' : 'immutable';
    }
    if (kind === 'A_Expr' && ['+', '-'].includes(namesOf(node.name)[0] ?? '')) {
      const types = [this.typeOf(node.lexpr), this.typeOf(node.rexpr)];
      // timestamptz ± interval depends on the time zone of the session; the difference of two instants does not.
      return types.includes('timestamptz') && types[0] !== types[1] ? 'stable' : 'immutable';
    }
    return 'immutable';
  }

  /** The nodes of an expression that are at least as volatile as `least`, with their names. */
  mutable(
    expression: unknown,
    least: 'stable' | 'volatile',
  ): readonly { readonly name: string; readonly node: Tree }[] {
    const found: { name: string; node: Tree }[] = [];
    walk(expression, (kind, node) => {
      const volatility = this.volatilityOf(kind, node);
      if (volatility === 'immutable' || (least === 'volatile' && volatility === 'stable')) return;
      found.push({ name: namesOf(node.funcname ?? node.name).at(-1) ?? kind, node });
    });
    return found;
  }

  /** Whether an expression reads a column of the statement's tables. */
  readsColumn(expression: unknown): boolean {
    let reads = false;
    walk(expression, (kind, node) => {
      if (kind === 'ColumnRef') reads ||= this.#reference(node).isColumn;
    });
    return reads;
  }
}

const zoned = new Set(['timestamptz', 'timestamp', 'date']);

const instants = ['now', 'clock_timestamp', 'statement_timestamp', 'write_time', 'event_week', 'events_expire_before'];
const returnTypes: Readonly<Record<string, string>> = {
  make_interval: 'interval',
  ...Object.fromEntries(instants.map((name) => [name, 'timestamptz'])),
};
