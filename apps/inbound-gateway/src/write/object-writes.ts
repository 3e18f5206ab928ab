import type { CreatedRecord, OnMatch, OrganizationSetup, UpdateTarget, Write, WrittenRecord } from '@crm/db';
import { ErrorCollector, type ObjectType } from '@crm/domain';
import type { Context } from '../context.js';

/** How the records of one object are written. The bodies fit the contract. */
export interface ObjectWrites<Created extends CreatedRecord> {
  readonly objectType: ObjectType;
  /** The field to name if an item of a bulk create is refused as a whole. */
  readonly keyPath: string;
  /** The path of a column or custom field in a create; by default its own name. */
  readonly pathOf?: (name: string) => string;
  /** Further properties of the response to a create. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Builds the write of a create; adds every fault to `errors`. */
  create(setup: OrganizationSetup, body: object, onMatch: OnMatch, errors: ErrorCollector): Write<Created>;
  /** Builds the write of an update; adds every fault to `errors`. `pipelineId`: that of an opportunity, if it exists. */
  update(
    setup: OrganizationSetup,
    target: UpdateTarget,
    body: object,
    errors: ErrorCollector,
    pipelineId: string | undefined,
  ): Write<WrittenRecord>;
  /** The data of the response to a create. */
  readonly answer: (result: Created) => object;
}

/** Builds a write from the setup. @throws ApiError `validation_failed` with every fault */
export const readWrite = <Result>(
  { setups }: Context,
  organizationId: string,
  read: (setup: OrganizationSetup, errors: ErrorCollector) => Write<Result>,
): Promise<Write<Result>> =>
  setups.use(organizationId, async (setup) => {
    const errors = new ErrorCollector();
    const write = read(setup, errors);
    errors.throwIfAny();
    return write;
  });
