import { type CursorCodec, createCursorCodec } from '@crm/domain';
import {
  createReadRouter,
  type Database,
  EventPositions,
  type ReadRouter,
  type ReadRouterOptions,
  type ReadSource,
} from '@crm/db';

/** What every operation of the read gateway works with: its `database` and `catalogs` are those of one server. */
export interface Context extends ReadSource {
  readonly cursors: CursorCodec;
  readonly eventPositions: EventPositions;
}

/** What the gateway is built on. */
export interface GatewayContext {
  readonly primary: Database;
  readonly reads: ReadRouter;
  readonly cursors: CursorCodec;
  readonly eventPositions: EventPositions;
}

/** Makes what one process works with; without a replica every read goes to the primary. */
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
