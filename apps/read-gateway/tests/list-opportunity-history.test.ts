import { listOpportunityHistory } from '@crm/contract';
import { describeHistory } from './support/describe-history.js';

describeHistory(
  listOpportunityHistory,
  'opportunity',
  async (records, name) => (await records.addDeals([{ name }]))[0] ?? '',
);
