import { getLatestPosition as latestContract, listEvents as listContract } from '@crm/contract';
import { isFilteredPage, readEvents, readLatestPosition } from '@crm/db';
import {
  ErrorCollector,
  type EventObject,
  type ObjectType,
  objectsOfEvents,
  logPositionText,
  parseLimit,
  parseLogStart,
  parseWait,
  readChangedNames,
} from '@crm/domain';
import { JsonParts, type Operation, type Wait } from '@crm/http';
import { type Context, operation } from '../context.js';

const msPerSecond = 1_000;
/**
 * A waiting request with filters reads the log again after any new event of the organization, but not sooner than
 * this: few of these events may match.
 */
const filteredPauseMs = 1_000;

/** The fields of the parameter `changed`, as events name them. @throws ApiError `validation_failed` */
const readChanged = async (
  { setups }: Context,
  organizationId: string,
  names: readonly string[],
  objects: readonly EventObject[],
): Promise<readonly string[]> => {
  if (names.length === 0) return [];
  return setups.use(organizationId, (setup) => {
    const errors = new ErrorCollector();
    const scope = { objects, fieldIndex: (object: ObjectType) => setup.fieldIndex(object, null) };
    const found = readChangedNames(names, scope, (_index, text) => errors.add('changed', text));
    errors.throwIfAny();
    return Promise.resolve(found);
  });
};

/** `GET /v1/events`: a page of the change log. */
const listEvents = operation(listContract, async (context, { caller, query }) => {
  const { organizationId } = caller;
  const errors = new ErrorCollector();
  const { position: after, logIds } = parseLogStart(query, errors);
  const limit = parseLimit(query.limit, errors);
  const waitSeconds = parseWait(query.wait, errors);
  errors.throwIfAny();
  const { object = null, type = null, changed = [] } = query;
  const objects = objectsOfEvents(object === null ? [] : [object], type === null ? [] : [type]);
  const filter = {
    object,
    type,
    recordId: query.record_id?.toLowerCase() ?? null,
    changed: await readChanged(context, organizationId, changed, objects),
  };
  const page = await readEvents(context.database, { organizationId, after, logIds, limit, ...filter });
  const { events, nextPosition, lastPosition, oldestPosition, logId } = page;
  const hasMore = nextPosition < lastPosition;
  const cursor = hasMore ? logPositionText(logId, nextPosition) : null;
  const isFiltered = isFilteredPage(filter);
  const wait: Wait = {
    forMs: waitSeconds * msPerSecond,
    subscribe: (onNews) =>
      context.eventPositions.whenPast(organizationId, lastPosition, isFiltered ? filteredPauseMs : 0, onNews),
  };
  return {
    message: 'Found events',
    data: new JsonParts([
      '{"events":[',
      events,
      `],"next_position":${nextPosition},"last_position":${lastPosition},"oldest_position":${oldestPosition}`,
      `,"has_more":${hasMore},"next_cursor":${JSON.stringify(cursor)},"log_id":${JSON.stringify(logId)}}`,
    ]),
    // Waits only at the end of the log. A page before it is sent at once: even without events, its `next_position` is
    // new.
    wait: waitSeconds > 0 && events.length === 0 && !hasMore ? wait : undefined,
  };
});

/** `GET /v1/events/latest`: the end of the change log, and a token for later reads. */
const getLatestPosition = operation(latestContract, async (context, { caller }) => {
  const { position, logId, readMark } = await readLatestPosition(context.database, caller.organizationId);
  return {
    message: 'Found the latest position',
    data: { position, log_id: logId },
    headers: { 'X-Read-After': readMark },
  };
});

/** The reads of the change log. */
export const eventOperations: readonly Operation<Context>[] = [listEvents, getLatestPosition];
