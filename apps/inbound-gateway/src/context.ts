import type { OperationContract } from '@crm/contract';
import {
  type AuditOrigin,
  createRides,
  createSetupCache,
  type Database,
  type RunCreate,
  type SetupCache,
} from '@crm/db';
import { defineOperation, type Operation } from '@crm/http';
import type { WebhookSettings } from '@crm/webhooks';

/** The dependencies of every operation of the inbound gateway. */
export interface Context {
  readonly database: Database;
  readonly setups: SetupCache;
  /** Runs creates, of which several may share a call of the database. */
  readonly runCreate: RunCreate;
  /** Who runs the command line that runs the operations in its own process. Its set-up calls may take as long as they need. */
  readonly commandLine?: AuditOrigin | undefined;
  readonly webhooks: WebhookSettings;
  /** Called if the rebuild of stored records after a change of the setup fails. */
  readonly onRebuildFailure: (organizationId: string, error: unknown) => void;
}

/** The most creates of one organization that share a call of the database, by default. */
export const defaultCreatesPerCall = 100;

/** What a context needs beside its database. */
export type ContextOptions = Partial<Pick<Context, 'webhooks' | 'onRebuildFailure'>> & {
  readonly maxCreatesPerCall?: number;
};

/** Creates the context of one process. */
export const createContext = (database: Database, options: ContextOptions = {}): Context => ({
  database,
  setups: createSetupCache(database),
  runCreate: createRides(database, options.maxCreatesPerCall ?? defaultCreatesPerCall),
  webhooks: options.webhooks ?? { keys: null, networks: [] },
  onRebuildFailure: options.onRebuildFailure ?? (() => undefined),
});

/** An operation of this gateway. */
export const operation = <C extends OperationContract>(
  contract: C,
  handle: Operation<Context, C>['handle'],
): Operation<Context> => defineOperation<Context, C>(contract, handle);
