import type { Gateway, OperationContract } from '../operation.js';
import { describedOperations } from './all.js';

const servedBy = (gateway: Gateway): readonly OperationContract[] =>
  describedOperations.filter((operation) => operation.gateway === gateway);

/** What the read gateway serves. */
export const readOperations = servedBy('read');

/** What the inbound gateway serves. */
export const inboundOperations = servedBy('inbound');
