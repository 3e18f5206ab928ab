import type { OperationContract } from '@crm/contract';
import type { WriteOrigin } from '@crm/db';
import type { OperationRequest } from '@crm/http';

/** The parts of a request that identify its origin in the change log. */
export type OriginRequest = Pick<OperationRequest<OperationContract>, 'caller' | 'requestId'>;

/** The request and the API key that the change log stores with the events of a write. */
export const writeOrigin = ({ caller: { apiKeyId }, requestId }: OriginRequest): WriteOrigin => ({
  requestId,
  apiKeyId,
});
