import type { OperationContract } from '@crm/contract';
import type { CreatedRecord, OnMatch, RecordStatus } from '@crm/db';
import type { Body } from '@crm/domain';
import type { OperationRequest } from '@crm/http';
import { operation } from '../context.js';
import { createWrite, type ObjectWrites, readWrite, warningsExtra } from './object-writes.js';
import { runIdempotent } from './run-idempotent.js';
import { writeOrigin } from './write-request.js';

const outcomes: Readonly<Record<RecordStatus, string>> = {
  created: 'created',
  matched: 'exists already',
  updated: 'updated',
};

type CreateRequest = OperationRequest<OperationContract> & {
  readonly query: { readonly on_match?: OnMatch };
  readonly body: Body;
};

/** `Account created`, `Account exists already` or `Account updated`. */
const createMessage = (object: string, status: RecordStatus): string =>
  `${object.charAt(0).toUpperCase()}${object.slice(1)} ${outcomes[status]}`;

/** A create: reads and checks the request, then writes in one round trip to the database. */
export const createRecord = <Created extends CreatedRecord>(
  contract: OperationContract,
  writes: ObjectWrites<Created>,
) =>
  operation<OperationContract>(contract, (context, request: CreateRequest) => {
    const { organizationId } = request.caller;
    return runIdempotent(context, contract, request, {
      run: async (idempotency) => {
        const write = await readWrite(context, organizationId, (setup, errors) =>
          createWrite(setup, writes, request.body, request.query.on_match ?? 'keep', errors),
        );
        return context.runCreate(organizationId, write, idempotency, writeOrigin(request));
      },
      answer: (result) => ({
        message: createMessage(writes.objectType, result.record_status),
        data: writes.answer(result),
        version: result.version,
        extra: { ...writes.extra, ...warningsExtra(writes.objectType, result) },
        headers: { 'X-Record-Status': result.record_status },
      }),
    });
  });
