import { operation } from '../operation.js';
import { KeyDetail } from '../schemas/key.js';

/** `GET /v1/key` */
export const getKey = operation(['getKey', 'GET /v1/key', 'list', 'Keys'], {
  summary: 'Get the key of the request',
  description: 'Returns what the key of the request allows, so that a program can offer only what will work.',
  data: KeyDetail,
});
