import type { OperationContract } from '@crm/contract';
import { type OrganizationSetup, type RecordStatus, runWrite, type Write } from '@crm/db';
import { ErrorCollector } from '@crm/domain';
import type { OperationReply, OperationRequest } from '@crm/http';
import type { Context } from './context.js';
import { runIdempotent } from './run-idempotent.js';
import { writeOrigin } from './write-origin.js';

/** How one kind of record is created. */
export interface CreateOptions<C extends OperationContract, Result> {
  /** Builds the write of a request; adds every fault to `errors`. */
  readonly read: (setup: OrganizationSetup, errors: ErrorCollector) => Write<Result>;
  /** Builds the response from the result of the write. */
  readonly answer: (result: Result) => OperationReply<C>;
}

/** Creates a record: reads and checks the request, then writes in one round trip to the database. */
export const createRecord = <C extends OperationContract, Result>(
  context: Context,
  contract: C,
  request: OperationRequest<C>,
  { read, answer }: CreateOptions<C, Result>,
): Promise<OperationReply<C>> => {
  const { organizationId } = request.caller;
  return runIdempotent(context, contract, request, {
    answer,
    run: async (idempotency) => {
      const write = await context.setups.use(organizationId, async (setup) => {
        const errors = new ErrorCollector();
        const found = read(setup, errors);
        errors.throwIfAny();
        return found;
      });
      return runWrite(context.database, organizationId, write, idempotency, writeOrigin(request));
    },
  });
};

const outcomes: Readonly<Record<RecordStatus, string>> = {
  created: 'created',
  matched: 'exists already',
  updated: 'updated',
};

/** `Account created`, `Account exists already` or `Account updated`. */
export const createMessage = (name: string, status: RecordStatus): string => `${name} ${outcomes[status]}`;
