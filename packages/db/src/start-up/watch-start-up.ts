import type { Database } from '../database.js';
import { functionsDigest, migrationNames, release } from '../generated/expected-schema.js';
import type { GatewayKind } from '../roles/rights.js';
import { connectionAdvice } from './connection-advice.js';
import { judgeServer, type ServerRules } from './judge-server.js';
import { readFacts, type StartUpFacts } from './read-facts.js';

/** Receives the results of the checks. The texts are for people and contain no secrets. */
export interface StartUpListener {
  /** Called once for each different warning. */
  readonly onWarning: (text: string) => void;
  /** Called when the reason for waiting changes, with the error if the server could not be checked. */
  readonly onWaiting: (text: string, error?: unknown) => void;
  /** Called at most once. Ends the checks. */
  readonly onRefusal: (text: string) => void;
  /** Called at most once. Ends the checks. */
  readonly onPassed: () => void;
}

/** The state of the checks before serving. */
export interface StartUp {
  /** Why the gateway must not serve yet; null once it may. */
  readonly problem: string | null;
  /** Ends the checks. */
  stop(): void;
}

/** Chooses a server and runs the checks on it. */
export type AskServer = (work: (database: Database) => Promise<StartUpFacts>) => Promise<StartUpFacts>;

const checkAgainAfterMs = 1_000;

/**
 * Checks the server every second until the gateway can serve from it. So gateways, database and migrations may start in any order.
 * @param gateway - the kind of gateway whose rights the role must have
 * @param ask - runs the checks on the primary, or on the replica while the primary is unreachable
 * @param rules - the requirements of this gateway; by default the migrations and functions of this version
 */
export const watchStartUp = (
  gateway: GatewayKind,
  ask: AskServer,
  rules: Pick<ServerRules, 'needsDurability'> & Partial<ServerRules>,
  listener: StartUpListener,
): StartUp => {
  const needsWrites = gateway !== 'read';
  const complete = { needsWrites, migrations: migrationNames, functions: functionsDigest, release, ...rules };
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
    let facts: StartUpFacts;
    try {
      facts = await ask((database) => readFacts(database, gateway));
    } catch (error) {
      if (!isStopped) wait(connectionAdvice(error) ?? 'The database cannot be reached', error);
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
