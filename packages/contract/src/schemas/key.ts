import { Type } from 'typebox';
import { responseObject, uuid } from './build.js';

/** `data` with the key of the request. */
export const KeyDetail = responseObject('KeyDetail', 'The key of the request.', {
  key_id: uuid('Id of the key: `api_key_id` of the events that it causes.', 'apiKey'),
  organization_id: uuid('The organization of the key.', 'organization'),
  allowed_operations: Type.Array(Type.String(), {
    description:
      'Groups of operations (`list`, `search`, `inbound`, `bulk`, `delete`, `setup`, `webhooks`) and names of single operations.',
    examples: [['list', 'search']],
  }),
});
