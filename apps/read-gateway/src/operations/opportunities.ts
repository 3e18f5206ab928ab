import { opportunityReads } from '@crm/contract';
import { objectReads } from './object-reads.js';

/** The reads of opportunities. */
export const opportunityOperations = objectReads('opportunity', opportunityReads);
