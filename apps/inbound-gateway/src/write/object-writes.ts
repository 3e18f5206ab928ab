import type { Warning } from '@crm/contract';
import { isConditional } from '@crm/db';
import type { CreatedRecord, OnMatch, OrganizationSetup, Pipeline, UpdateTarget, Write, WrittenRecord } from '@crm/db';
import {
  ApiError,
  type Body,
  bodyPathOf,
  type Change,
  ErrorCollector,
  type ObjectType,
  decimalsWarning,
  type ReadContext,
  type Steps,
  changeSteps,
} from '@crm/domain';
import { runInTurns } from '@crm/http';
import type { Context } from '../context.js';
import { pipelineForCreate } from './opportunity-parts.js';

/** The result of a write; the optional properties only on creates. */
export type Applied = WrittenRecord & {
  readonly unapplied?: readonly string[];
  readonly account_id?: string | null;
  readonly contact_id?: string | null;
  readonly note_id?: string;
  readonly unapplied_contact?: readonly string[];
};

/** How the records of one object are written. */
export interface ObjectWrites<Created extends CreatedRecord> {
  readonly objectType: ObjectType;
  /** The field to name if an item of a bulk create is refused as a whole. */
  readonly keyPath: string;
  /** Further properties of the response to a create. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Builds a create. Adds the faults of what `change` does not have to `errors`. */
  readonly create: (
    setup: OrganizationSetup,
    change: Change,
    onMatch: OnMatch,
    rest: { readonly body: Body; readonly pipeline: Pipeline | null; readonly errors: ErrorCollector },
  ) => Write<Created>;
  readonly update: (setup: OrganizationSetup, target: UpdateTarget, change: Change) => Write<WrittenRecord>;
  /** The data of the response to a create. */
  readonly answer: (result: Created) => object;
}

/**
 * The `warnings` of the response to a write, if any: the sent values that a create did not apply because the record already existed, and
 * an amount with more decimals than its currency has.
 */
export const warningsExtra = (
  objectType: ObjectType,
  { record_status: status, unapplied = [], unapplied_contact: ofContact = [], amount = null, currency = null }: Applied,
): { warnings?: Warning[] } => {
  const message = 'The record exists: its stored value was kept';
  const warnings = unapplied.map((name) => ({ field: bodyPathOf(objectType, name), message }));
  warnings.push(...ofContact.map((name) => ({ field: `primary_contact.${name}`, message })));
  const decimals = status === 'matched' ? null : decimalsWarning(amount, currency);
  if (decimals !== null) warnings.push({ field: bodyPathOf(objectType, 'amount'), message: decimals });
  return warnings.length === 0 ? {} : { warnings };
};

/** What values of a body can refer to: the fields, members and stages of the organization. */
const readContext = (setup: OrganizationSetup, objectType: ObjectType, pipeline: Pipeline | null): ReadContext => ({
  definitions: setup.fieldIndex(objectType, null).storedBySlug,
  findMember: (idOrEmail) => setup.findMember(idOrEmail),
  pipeline,
});

/** Builds the write of a create; adds every fault of the body to `errors`. */
export function* createWrite<Created extends CreatedRecord>(
  setup: OrganizationSetup,
  { objectType, create }: ObjectWrites<Created>,
  body: Body,
  onMatch: OnMatch,
  errors: ErrorCollector,
): Steps<Write<Created>> {
  const pipeline = objectType === 'opportunity' ? pipelineForCreate(setup, body) : null;
  const change = yield* changeSteps(objectType, body, readContext(setup, objectType, pipeline), true, errors);
  return create(setup, change, onMatch, { body, pipeline, errors });
}

/**
 * Builds the write of an update; adds every fault of the body to `errors`. An opportunity accepts only the stages and custom fields of
 * its pipeline.
 * @param pipelineIds - the pipelines of opportunities, by their ids
 */
export function* updateWrite<Created extends CreatedRecord>(
  setup: OrganizationSetup,
  { objectType, update }: ObjectWrites<Created>,
  target: UpdateTarget,
  body: Body,
  pipelineIds: ReadonlyMap<string, string>,
  errors: ErrorCollector,
): Steps<Write<WrittenRecord>> {
  const pipeline = objectType === 'opportunity' ? setup.findPipeline(pipelineIds.get(target.id) ?? '') : null;
  if (pipeline === undefined) throw new ApiError('not_found');
  const context = readContext(setup, objectType, pipeline);
  return update(setup, target, yield* changeSteps(objectType, body, context, false, errors));
}

/**
 * Builds writes from the setup. If one has values that only a record which has them may keep, such as an archived option, builds all of
 * them again from a setup that is not cached: the option may be active again.
 */
export const useSetup = async <Built>(
  { setups }: Context,
  organizationId: string,
  build: (setup: OrganizationSetup) => Promise<Built>,
  writesOf: (built: Built) => readonly Write<unknown>[],
): Promise<Built> => {
  const built = await setups.use(organizationId, build);
  return writesOf(built).some(isConditional) ? build(await setups.reload(organizationId)) : built;
};

/** Builds a write from the setup, in turns. @throws ApiError `validation_failed` with every fault */
export const readWrite = <Result>(
  context: Context,
  organizationId: string,
  read: (setup: OrganizationSetup, errors: ErrorCollector) => Steps<Write<Result>>,
): Promise<Write<Result>> => {
  const build = async (setup: OrganizationSetup): Promise<Write<Result>> => {
    const errors = new ErrorCollector();
    const write = await runInTurns(read(setup, errors));
    errors.throwIfAny();
    return write;
  };
  return useSetup(context, organizationId, build, (write) => [write]);
};
