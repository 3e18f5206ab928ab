import type { Gateway, OperationContract } from '../operation.js';
import * as accounts from './accounts.js';
import * as contacts from './contacts.js';
import * as events from './events.js';
import * as keys from './keys.js';
import * as notes from './notes.js';
import * as opportunities from './opportunities.js';
import * as pipelines from './pipelines.js';
import * as restore from './restore.js';
import * as setup from './setup.js';
import * as webhooks from './webhooks.js';

/** Every operation of both gateways. */
export const describedOperations: readonly OperationContract[] = [
  ...Object.values(opportunities),
  ...Object.values(accounts),
  ...Object.values(contacts),
  ...Object.values(notes),
  ...Object.values(pipelines),
  ...Object.values(events),
  ...Object.values(keys),
  ...Object.values(restore),
  ...Object.values(setup),
  ...Object.values(webhooks),
];

const servedBy = (gateway: Gateway): readonly OperationContract[] =>
  describedOperations.filter((operation) => operation.gateway === gateway);

/** The operations of the read gateway. */
export const readOperations = servedBy('read');

/** The operations of the inbound gateway. */
export const inboundOperations = servedBy('inbound');
