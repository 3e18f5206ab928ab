import {
  getOpportunity,
  listOpportunityDuplicates,
  listOpportunityFields,
  listOpportunityHistory,
  listOpportunities,
  searchOpportunities,
  summarizeOpportunities,
} from '@crm/contract';
import type { Operation } from '@crm/http';
import { type Context } from '../context.js';
import { getRecord } from '../get-record.js';
import { listFields } from '../list-fields.js';
import { listDuplicates, listHistory, listRecords, searchRecords } from '../list-records.js';
import { summarizeRecords } from '../summary.js';

/** The reads of opportunities. */
export const opportunityOperations: readonly Operation<Context>[] = [
  listRecords(listOpportunities, 'opportunity'),
  searchRecords(searchOpportunities, 'opportunity'),
  summarizeRecords(summarizeOpportunities, 'opportunity'),
  getRecord(getOpportunity, 'opportunity'),
  listHistory(listOpportunityHistory, 'opportunity'),
  listDuplicates(listOpportunityDuplicates, 'opportunity'),
  listFields(listOpportunityFields, 'opportunity'),
];
