import type { Gateway, OperationContract } from '../operation.js';
import { describedOperations } from './all.js';

const servedBy = (gateway: Gateway): readonly OperationContract[] =>
  describedOperations.filter((operation) => operation.gateway === gateway);

/** The operations of the read gateway. */
export const readOperations = servedBy('read');

/** The operations of the inbound gateway. */
export const inboundOperations = servedBy('inbound');
