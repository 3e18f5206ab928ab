import { namesOf, nodesOf, type SqlStatement, type Tree, walk } from './sql-tree.js';
import { Expressions, type KnownSchema, tablesOf } from './sql-types.js';

/** Lists what Citus refuses in a statement. */
type Rule = (statement: SqlStatement, schema: KnownSchema, expressions: Expressions) => readonly string[];

type Change = Tree & { readonly relation: { readonly relname: string } };

const isShared = (table: string, { tenantTables, copiedTables }: KnownSchema): boolean =>
  tenantTables.has(table) || copiedTables.has(table);

/** The statements of some types that change a table of Citus, with those inside of WITH. */
const changesOf = (tree: Tree, types: readonly string[], schema: KnownSchema): readonly Change[] =>
  types
    .flatMap((type) => nodesOf([tree], type) as readonly Change[])
    .filter(({ relation }) => isShared(relation.relname, schema));

const updates = ['UpdateStmt', 'DeleteStmt'];

/** The conditions and new values of an UPDATE or DELETE. */
const valuesOf = (change: Change): readonly unknown[] => [
  ...nodesOf(change.targetList, 'ResTarget').map(({ val }) => val),
  change.whereClause,
];

/** What a name in FROM stands for, in one level of a statement. */
interface Level {
  readonly tables: readonly { readonly alias: string; readonly table: string }[];
  readonly conditions: readonly unknown[];
  readonly isInner: boolean;
}

const levelOf = (node: Tree, isInner: boolean): Level => {
  const tables: { alias: string; table: string }[] = [];
  const conditions: unknown[] = [node.whereClause];
  const add = (range: Tree) => {
    const { relname, alias } = range as { relname: string; alias?: { aliasname: string } };
    tables.push({ alias: alias?.aliasname ?? relname, table: relname });
  };
  if (node.relation !== undefined) add(node.relation as Tree);
  walk([node.fromClause, node.usingClause], (type, inner) => {
    if (type === 'RangeSubselect') return false;
    if (type === 'RangeVar') add(inner);
    if (type === 'JoinExpr') conditions.push(inner.quals);
    return type !== 'SubLink';
  });
  return { tables, conditions, isInner };
};

const levelTypes = new Set(['SelectStmt', ...updates]);

const levelsOf = (tree: Tree): readonly Level[] => {
  const levels: Level[] = [];
  const visit = (value: unknown, isInner: boolean): void =>
    walk(value, (type, node) => {
      if (!levelTypes.has(type)) return true;
      levels.push(levelOf(node, isInner));
      visit(Object.values(node), true);
      return false;
    });
  visit([tree], false);
  return levels;
};

/** Each side of the conditions `a = b` of a level. */
const equalitiesOf = ({ conditions }: Level): readonly (readonly [unknown, unknown])[] => {
  const found: [unknown, unknown][] = [];
  walk(conditions, (type, node) => {
    if (type === 'A_Expr' && namesOf(node.name)[0] === '=')
      found.push([node.lexpr, node.rexpr], [node.rexpr, node.lexpr]);
    return type !== 'SubLink' && (type !== 'BoolExpr' || node.boolop === 'AND_EXPR');
  });
  return found;
};

const columnText = (expression: unknown): string =>
  namesOf(((expression as { ColumnRef?: Tree } | undefined)?.ColumnRef ?? {}).fields).join('.');

/** The names whose organization a condition binds to a value. Those that equal a bound one of the same level are bound too. */
const boundNames = (level: Level, expressions: Expressions): ReadonlySet<string> => {
  const bound = new Set<string>();
  const equalities = equalitiesOf(level);
  const names = level.tables.map(({ alias }) => alias);
  const columnOf = (alias: string) =>
    names.length === 1 ? [`${alias}.organization_id`, 'organization_id'] : [`${alias}.organization_id`];
  for (let before = -1; before < bound.size;) {
    before = bound.size;
    for (const alias of names) {
      const isBound = equalities.some(
        ([left, right]) =>
          columnOf(alias).includes(columnText(left)) &&
          (!expressions.readsColumn(right) || [...bound].some((other) => columnOf(other).includes(columnText(right)))),
      );
      if (isBound) bound.add(alias);
    }
  }
  return bound;
};

/** The functions that run on the coordinator for all organizations. The tests on Citus run them. */
export const ofAllOrganizations = new Set(['make_event_partitions', 'drop_event_partitions', 'refresh_statistics']);

/** What Citus refuses in statements that change tables. */
const changeRules: Readonly<Record<string, Rule>> = {
  'volatile function in a change': ({ tree }, schema, expressions) =>
    changesOf(tree, updates, schema).flatMap((change) =>
      expressions.mutable(Object.values(change), 'volatile').map(({ name }) => name),
    ),

  'stable function of a column': ({ tree }, schema, expressions) =>
    changesOf(tree, ['UpdateStmt', 'DeleteStmt'], schema).flatMap((change) =>
      valuesOf(change).flatMap((value) =>
        expressions
          .mutable(value, 'stable')
          .filter(({ node }) => expressions.readsColumn(node))
          .map(({ name }) => name),
      ),
    ),

  'stable function in CASE or COALESCE': ({ tree }, schema, expressions) =>
    changesOf(tree, updates, schema).flatMap((change) =>
      ['CaseExpr', 'CoalesceExpr'].flatMap((type) =>
        nodesOf(valuesOf(change), type).flatMap((node) => expressions.mutable(node, 'stable').map(({ name }) => name)),
      ),
    ),

  'CASE of a value': ({ tree }, schema) =>
    changesOf(tree, updates, schema)
      .flatMap((change) => nodesOf(valuesOf(change), 'CaseExpr'))
      .flatMap(({ arg }) => (arg === undefined ? [] : ['CASE value WHEN'])),

  'stable function in RETURNING': ({ tree }, schema, expressions) =>
    changesOf(tree, [...updates, 'InsertStmt'], schema).flatMap((change) =>
      expressions.mutable([change.returningClause, change.returningList], 'stable').map(({ name }) => name),
    ),

  'stable function in ON CONFLICT': ({ tree }, schema, expressions) =>
    changesOf(tree, ['InsertStmt'], schema).flatMap((change) =>
      expressions.mutable(change.onConflictClause, 'stable').map(({ name }) => name),
    ),

  'count of INSERT … SELECT': ({ tree, isCounted }, schema) =>
    changesOf(tree, ['InsertStmt'], schema)
      .filter(
        ({ selectStmt, onConflictClause, returningClause, returningList }) =>
          isCounted &&
          (selectStmt as { SelectStmt: Tree }).SelectStmt.valuesLists === undefined &&
          (onConflictClause as Tree | undefined)?.action === 'ONCONFLICT_NOTHING' &&
          (returningClause ?? returningList) === undefined,
      )
      .map(({ relation }) => relation.relname),

  'subquery in VALUES': ({ tree }, schema) =>
    changesOf(tree, ['InsertStmt'], schema)
      .flatMap(({ selectStmt }) => nodesOf((selectStmt as { SelectStmt: Tree }).SelectStmt.valuesLists, 'SubLink'))
      .map(() => 'a subquery'),
};

/** What Citus refuses in any statement. */
const statementRules: Readonly<Record<string, Rule>> = {
  'function that uses a table': ({ tree, of }, schema) => {
    const tables = nodesOf([tree], 'RangeVar').map(({ relname }) => String(relname));
    const usesTable = [
      ...tables,
      ...changesOf(tree, [...updates, 'InsertStmt'], schema).map((c) => c.relation.relname),
    ];
    if (ofAllOrganizations.has(of) || !usesTable.some((table) => isShared(table, schema))) return [];
    return nodesOf(tree, 'FuncCall')
      .map(({ funcname }) => namesOf(funcname).at(-1) ?? '')
      .filter((name) => schema.tableFunctions.has(name));
  },

  'whole row as an argument': ({ tree }, schema) => {
    const aliases = new Set([...tablesOf(tree)].filter(([, table]) => isShared(table, schema)).map(([alias]) => alias));
    return nodesOf(tree, 'FuncCall')
      .filter(({ funcname }) => schema.ownFunctions.has(namesOf(funcname).at(-1) ?? ''))
      .flatMap(({ args }) => nodesOf(args, 'ColumnRef').map(({ fields }) => namesOf(fields)))
      .filter(([alias = '', column]) => aliases.has(alias) && (column ?? '*') === '*')
      .map(([alias = '']) => alias);
  },

  'organization not bound': ({ tree, of }, schema, expressions) => {
    if (ofAllOrganizations.has(of)) return [];
    return levelsOf(tree).flatMap((level) => {
      const bound = boundNames(level, expressions);
      return level.tables
        .filter(({ alias, table }) => schema.tenantTables.has(table) && !bound.has(alias))
        .map(({ table }) => table);
    });
  },

  'table of one server beside distributed ones': ({ tree }, schema) => {
    const tables = [...new Set(levelsOf(tree).flatMap((level) => level.tables.map(({ table }) => table)))];
    const local = tables.filter((table) => schema.columns.has(table) && !isShared(table, schema));
    return local.length > 0 && tables.some((table) => isShared(table, schema)) ? local : [];
  },
};

/** All rules, by the name in docs/decisions/0025-distribution-by-organization.md. */
export const distributionRules: Readonly<Record<string, Rule>> = { ...changeRules, ...statementRules };

/** What Citus refuses in statements: `change_setup: volatile function in a change (gen_random_uuid)`. */
export const faultsOf = (statements: readonly SqlStatement[], schema: KnownSchema): readonly string[] =>
  statements.flatMap((statement) => {
    const tables = new Set(tablesOf(statement.tree).values());
    if (![...tables].some((table) => schema.columns.has(table))) return [];
    const isChange = /\b(INSERT|UPDATE|DELETE)\b/.test(statement.text);
    const expressions = new Expressions(statement, schema);
    return Object.entries(isChange ? distributionRules : statementRules).flatMap(([name, rule]) =>
      rule(statement, schema, expressions).map((what) => `${statement.of}: ${name} (${what})`),
    );
  });
