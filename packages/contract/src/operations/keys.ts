import type { OperationContract } from '../operation.js';
import { KeyDetail } from '../schemas/key.js';

/** `GET /v1/key` */
export const getKey = {
  id: 'getKey',
  gateway: 'read',
  method: 'get',
  path: '/v1/key',
  group: 'list',
  tag: 'Keys',
  summary: 'Get the key of the request',
  description: 'Returns what the key of the request allows, so that a program can offer only what will work.',
  data: KeyDetail,
} as const satisfies OperationContract;
