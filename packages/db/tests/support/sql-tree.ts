import { readdir, readFile } from 'node:fs/promises';
import { loadModule, parsePlPgSQLSync, parseSync } from 'libpg-query';
import { readFunctionFiles } from '../../src/migrate/migrations.js';

/** A node of PostgreSQL's parse tree: `{ UpdateStmt: { relation: … } }` has the type UpdateStmt. */
export type Tree = Readonly<Record<string, unknown>>;

/** A statement with the types of the variables around it. */
export interface SqlStatement {
  /** Where it is: the name of a function, or of a file. */
  readonly of: string;
  readonly text: string;
  readonly tree: Tree;
  /** The types of variables and parameters, by name. A row variable has the name of its table. */
  readonly variables: ReadonlyMap<string, string>;
  /** Whether its function asks how many rows a statement changed, or if it changed one. */
  readonly isCounted: boolean;
}

/** A function of the sources. */
export interface SqlFunction {
  readonly name: string;
  readonly volatility: 'immutable' | 'stable' | 'volatile';
  readonly statements: readonly SqlStatement[];
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Calls `visit` for every object of a tree, from the outside in. If it returns false, the objects inside are left out. */
export const walk = (tree: unknown, visit: (type: string, node: Tree) => boolean | undefined): void => {
  if (Array.isArray(tree)) for (const item of tree as unknown[]) walk(item, visit);
  else if (isTree(tree)) {
    for (const [type, node] of Object.entries(tree)) {
      if (isTree(node) && !Array.isArray(node) && visit(type, node) === false) continue;
      walk(node, visit);
    }
  }
};

/** The nodes of a type in a tree. */
export const nodesOf = (tree: unknown, wanted: string): readonly Tree[] => {
  const found: Tree[] = [];
  walk(tree, (type, node) => {
    if (type === wanted) found.push(node);
  });
  return found;
};

/** The texts of a list of names: `pg_catalog.extract`. */
export const namesOf = (list: unknown): readonly string[] =>
  ((list ?? []) as { String?: { sval: string } }[]).map((name) => name.String?.sval ?? '*');

const typeName = (type: unknown): string => namesOf((type as Tree).names).at(-1) ?? '';

/** Parses one SQL statement. */
const parseStatement = (text: string): Tree => {
  const [first] = (parseSync(text) as unknown as { stmts: { stmt: Tree }[] }).stmts;
  if (first === undefined) throw new Error(`no statement: ${text}`);
  return first.stmt;
};

/** A statement of TypeScript, or an example. @param variables - such as `v_now timestamptz` */
export const statementOf = (of: string, text: string, variables: readonly string[] = []): SqlStatement => ({
  ...{ of, text, tree: parseStatement(text), isCounted: false },
  variables: new Map(variables.map((one) => one.split(' ') as [string, string])),
});

/** The SQL of an expression of PL/pgSQL. Modes: 0 a statement, 2 an expression, 3 and more an assignment. */
const sqlOf = ({ query, parseMode }: { query: string; parseMode?: number }): string => {
  if ((parseMode ?? 0) === 0) return query;
  return `SELECT ${parseMode === 2 ? query : query.replace(/^[^=]*?:?=/s, '')}`;
};

interface Variable {
  readonly refname?: string;
  readonly datatype?: { readonly PLpgSQL_type: { readonly typname: string } };
}

const shortType = (name: string): string => name.replace(/^pg_catalog\./, '').replaceAll('"', '');

const variablesOf = (parsed: unknown, parameters: readonly Tree[]): ReadonlyMap<string, string> => {
  const declared = [...nodesOf(parsed, 'PLpgSQL_var'), ...nodesOf(parsed, 'PLpgSQL_rec')] as readonly Variable[];
  return new Map([
    ...declared.map(
      ({ refname = '', datatype }) => [refname, shortType(datatype?.PLpgSQL_type.typname ?? '')] as const,
    ),
    ...parameters.map(({ name, argType }) => [String(name), typeName(argType)] as const),
  ]);
};

const optionOf = (node: Tree, wanted: string): string | undefined => {
  const option = nodesOf(node.options, 'DefElem').find(({ defname }) => defname === wanted);
  return nodesOf([option], 'String').map(({ sval }) => String(sval))[0];
};

/** Parses the text of `CREATE FUNCTION` with every statement in its body. */
export const parseFunction = (text: string): SqlFunction => {
  const { CreateFunctionStmt: node } = parseStatement(text) as { CreateFunctionStmt: Tree };
  const name = namesOf(node.funcname).at(-1) ?? '';
  const volatility = (optionOf(node, 'volatility') ?? 'volatile') as SqlFunction['volatility'];
  const parameters = nodesOf(node.parameters, 'FunctionParameter');
  if (optionOf(node, 'language') === 'sql') {
    const statement = { of: name, text, tree: parseStatement(optionOf(node, 'as') ?? ''), isCounted: false };
    return { name, volatility, statements: [{ ...statement, variables: variablesOf([], parameters) }] };
  }
  // The parser knows no tables, and refuses arrays of their rows only as a result.
  const parsed: unknown = parsePlPgSQLSync(text.replace(/RETURNS \w+\[\]/, 'RETURNS text[]'));
  const variables = variablesOf(parsed, parameters);
  const expressions = nodesOf(parsed, 'PLpgSQL_expr') as unknown as readonly { query: string; parseMode?: number }[];
  const isCounted = nodesOf(parsed, 'PLpgSQL_stmt_getdiag').length > 0 || /\bFOUND\b/.test(text);
  const statements = expressions
    .map(sqlOf)
    .map((sql) => ({ of: name, text: sql, tree: parseStatement(sql), variables, isCounted }));
  return { name, volatility, statements };
};

/** Loads the parser and parses all functions of the sources. */
export const readSqlFunctions = async (): Promise<readonly SqlFunction[]> => {
  await loadModule();
  const texts = (await readFunctionFiles()).flatMap(({ sql }) => [
    ...sql.matchAll(/^CREATE OR REPLACE FUNCTION [\s\S]*?\n\$\$;/gm),
  ]);
  return texts.map(([text]) => parseFunction(text));
};

/** The texts of SQL in the TypeScript sources, with `accounts` for each `${…}`. */
export const readSqlTexts = async (): Promise<readonly { readonly file: string; readonly text: string }[]> => {
  const folder = new URL('../../src/', import.meta.url);
  const isOwn = (file: string) => /^(?!generated|migrate|distribution|page).*(?<!\.test)\.ts$/.test(file);
  const files = (await readdir(folder, { recursive: true })).filter(isOwn);
  const all = files.map(async (file) => {
    const source = await readFile(new URL(file, folder), 'utf8');
    const texts = [
      ...source.matchAll(
        /`(\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH) [^`]*)`|'((?:SELECT|INSERT|UPDATE|DELETE|WITH) [^'\n]*)'/g,
      ),
    ];
    return texts.map(([, long, short = '']) => ({
      file,
      text: (long ?? short).replaceAll(/\$\{[^}]*\}/g, 'accounts'),
    }));
  });
  return (await Promise.all(all)).flat();
};
