import type { OperationContract } from '@crm/contract';
import { type AuditOrigin, type SetupCache, createSetupCache, type Database } from '@crm/db';
import { defineOperation, type Operation } from '@crm/http';
import type { WebhookSettings } from '@crm/webhooks';

/** The dependencies of every operation of the inbound gateway. */
export interface Context {
  readonly database: Database;
  readonly setups: SetupCache;
  /** Who runs the command line that runs the operations in its own process. Its set-up calls may take as long as they need. */
  readonly commandLine?: AuditOrigin | undefined;
  readonly webhooks: WebhookSettings;
  /** Called if the rebuild of stored records after a change of the setup fails. */
  readonly onRebuildFailure: (organizationId: string, error: unknown) => void;
}

/** Creates the context of one process. */
export const createContext = (
  database: Database,
  webhooks: WebhookSettings = { keys: null, networks: [] },
  onRebuildFailure: Context['onRebuildFailure'] = () => undefined,
): Context => ({
  database,
  setups: createSetupCache(database),
  webhooks,
  onRebuildFailure,
});

/** An operation of this gateway. */
export const operation = <C extends OperationContract>(
  contract: C,
  handle: Operation<Context, C>['handle'],
): Operation<Context> => defineOperation<Context, C>(contract, handle);
