import type { OperationContract } from '@crm/contract';
import { type CursorCodec, createCursorCodec } from '@crm/domain';
import {
  createReadRouter,
  type Database,
  EventPositions,
  type ReadRouter,
  type ReadRouterOptions,
  type ReadSource,
} from '@crm/db';
import { defineOperation, type Operation } from '@crm/http';

/** The dependencies of every operation of the read gateway. `database` and `setups` belong to the same server. */
export interface Context extends ReadSource {
  readonly cursors: CursorCodec;
  readonly eventPositions: EventPositions;
}

/** The servers and settings of the gateway. */
export interface GatewayContext {
  readonly primary: Database;
  readonly reads: ReadRouter;
  readonly cursors: CursorCodec;
  readonly eventPositions: EventPositions;
}

/** Creates the dependencies of one process. Without a replica every read goes to the primary. */
export const createContext = (
  primary: Database,
  cursorSecrets: readonly [string, ...string[]],
  replica: Omit<ReadRouterOptions, 'primary'> = { replica: null },
): GatewayContext => {
  const reads = createReadRouter({ primary, ...replica });
  return {
    primary,
    reads,
    cursors: createCursorCodec(cursorSecrets),
    eventPositions: new EventPositions((work) => reads.readAny(work)),
  };
};

/** An operation of this gateway. */
export const operation = <C extends OperationContract>(
  contract: C,
  handle: Operation<Context, C>['handle'],
): Operation<Context> => defineOperation<Context, C>(contract, handle);
