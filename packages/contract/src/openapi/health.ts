import type { Gateway } from '../operation.js';
import { errorReferences } from './error-responses.js';
import { commonHeaders } from './headers.js';
import type { Json } from './json.js';

const page = (
  operationId: string,
  summary: string,
  description: string,
  message: string,
  errors: readonly number[],
) => ({
  get: {
    operationId,
    tags: ['Health'],
    summary,
    description,
    security: [],
    responses: {
      '200': {
        description: 'Success.',
        headers: commonHeaders,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['success', 'message', 'data'],
              properties: {
                success: { type: 'boolean', description: 'True on success.' },
                message: { type: 'string', description: 'Human-readable status.' },
                data: { type: 'object', description: 'Empty.' },
              },
            },
            example: { success: true, message, data: {} },
          },
        },
      },
      ...errorReferences(errors),
    },
  },
});

/** The gateways in the ids of operations, which differ so that one client can have both. */
const names: Readonly<Record<Gateway, string>> = { read: 'ReadGateway', inbound: 'InboundGateway' };

/** The statuses of the health paths other than 200. */
export const healthErrorStatuses = [400, 500, 503] as const;

/** The paths that show whether a gateway runs. They need no key. */
export const healthPaths = (gateway: Gateway): Readonly<Record<string, Json>> => ({
  '/livez': page(
    `get${names[gateway]}Liveness`,
    'Whether the gateway runs',
    'Answers 200 without a query to the database.',
    'Alive',
    [400, 500],
  ),
  '/readyz': page(
    `get${names[gateway]}Readiness`,
    'Whether the gateway can serve requests',
    'Checks the database. 503 while the gateway cannot serve requests.',
    'Ready',
    [...healthErrorStatuses],
  ),
});
