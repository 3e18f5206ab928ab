import type { Operation } from '@crm/http';
import type { Context } from '../context.js';
import { listOpportunities } from './list-opportunities.js';

/** Every operation that this gateway serves. */
export const operations: readonly Operation<Context>[] = [listOpportunities];
