import type { Database } from '../database.js';
import { functionsDigest, migrationNames } from '../generated/expected-schema.js';
import { type QueryRow, readSchemaHistory, type SchemaHistory } from '../schema-history/schema-history.js';
import { judgeServer, type ServerFacts, type ServerRules } from './judge-server.js';

/** Told what the checks find; texts are for people and hold no secret. */
export interface StartUpListener {
  /** Once a finding. */
  readonly onWarning: (text: string) => void;
  /** Whenever what is waited for changes; with what the server could not be asked for. */
  readonly onWaiting: (text: string, error?: unknown) => void;
  /** At most once; nothing is checked any more. */
  readonly onRefusal: (text: string) => void;
  /** At most once; nothing is checked any more. */
  readonly onPassed: () => void;
}

/** How far the checks before serving have come. */
export interface StartUp {
  /** Why the gateway must not serve yet; null once it may. */
  readonly problem: string | null;
  /** Ends the checks. */
  stop(): void;
}

/** Chooses the server of a question. */
export type AskServer = (work: (database: Database) => Promise<ServerFacts>) => Promise<ServerFacts>;

const checkAgainAfterMs = 1_000;

const settingsSql = `
  SELECT current_setting('server_version_num')::int AS "versionNumber", current_setting('server_version') AS version,
         current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS "synchronousCommit",
         current_setting('is_superuser') = 'on' AS "isSuperuser"`;

type Settings = Omit<ServerFacts, keyof SchemaHistory>;

/** Without Prisma, whose first query takes 60 MB of memory: gateways have no other use for it. */
const readFacts = (database: Database): Promise<ServerFacts> =>
  database.withConnection(async (connection) => {
    const queryRow: QueryRow = (text) => connection.queryServer(text, []);
    return { ...(await queryRow<Settings>(settingsSql)), ...(await readSchemaHistory(queryRow)) };
  });

/**
 * Checks the server until it can be served from, so that gateways, database and migrations may start in any order.
 * @param ask - runs the questions on the server that reads go to now
 * @param rules - what this gateway needs; the migrations of this version when they are not given
 */
export const watchStartUp = (
  ask: AskServer,
  rules: Pick<ServerRules, 'needsDurability'> & Partial<ServerRules>,
  listener: StartUpListener,
): StartUp => {
  const complete = { migrations: migrationNames, functions: functionsDigest, ...rules };
  const warned = new Set<string>();
  let problem: string | null = 'The database has not been checked yet';
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const wait = (reason: string, error?: unknown): void => {
    if (reason !== problem) listener.onWaiting(reason, error);
    problem = reason;
    if (!isStopped) timer = setTimeout(() => void check(), checkAgainAfterMs);
  };
  const check = async (): Promise<void> => {
    let facts: ServerFacts;
    try {
      facts = await ask(readFacts);
    } catch (error) {
      if (!isStopped) wait('The database cannot be reached', error);
      return;
    }
    if (isStopped) return;
    const { refusal, waitingFor, warnings } = judgeServer(facts, complete);
    for (const warning of warnings.filter((text) => !warned.has(text))) listener.onWarning(warning);
    for (const warning of warnings) warned.add(warning);
    if (refusal !== null) {
      problem = refusal;
      listener.onRefusal(refusal);
    } else if (waitingFor === null) {
      problem = null;
      listener.onPassed();
    } else wait(waitingFor);
  };
  void check();
  return {
    get problem() {
      return problem;
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
};
