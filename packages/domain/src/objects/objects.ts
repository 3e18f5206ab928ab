import type { ObjectType } from '../object-type.js';
import { account } from './account.js';
import { contact } from './contact.js';
import type { ObjectDescription } from './field.js';
import { opportunity } from './opportunity.js';

/** The description of each object. */
export const objects: Readonly<Record<ObjectType, ObjectDescription>> = { opportunity, account, contact };
