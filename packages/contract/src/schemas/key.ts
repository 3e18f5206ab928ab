import { Type } from 'typebox';
import { operationGroups } from '../operation.js';
import { listOf, responseObject, uuid } from './build.js';

/** `data` with the key of the request. */
export const KeyDetail = responseObject('KeyDetail', 'The key of the request.', {
  key_id: uuid('Id of the key: `api_key_id` of the events that it causes.', 'apiKey'),
  organization_id: uuid('The organization of the key.', 'organization'),
  allowed_operations: listOf(
    Type.String(),
    `Groups of operations (${operationGroups.map((group) => `\`${group}\``).join(', ')}) and names of single operations.`,
    ['list', 'search'],
  ),
});
