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

const modules: readonly Readonly<Record<string, object>>[] = [
  opportunities,
  accounts,
  contacts,
  notes,
  pipelines,
  events,
  keys,
  restore,
  setup,
  webhooks,
];

/** Every operation of both gateways. The groups of operations that the modules also export are left out. */
export const describedOperations: readonly OperationContract[] = modules
  .flatMap((module) => Object.values(module))
  .filter((one): one is OperationContract => 'path' in one);

const servedBy = (gateway: Gateway): readonly OperationContract[] =>
  describedOperations.filter((operation) => operation.gateway === gateway);

/** The operations of the read gateway. */
export const readOperations = servedBy('read');

/** The operations of the inbound gateway. */
export const inboundOperations = servedBy('inbound');
