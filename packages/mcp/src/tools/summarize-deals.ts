import type { SummaryGroup } from '@crm/client';
import { z } from 'zod';
import { filterArguments, readFilters } from '../filters.js';
import { readFittingPage } from '../pages.js';
import { anyObject, defineTool, foreignWords, notice, reads, resultProperties, text, texts } from '../tool.js';

/** The ids that the API groups by, for the names of the tools. */
const idNames: Readonly<Record<string, string>> = {
  stage_name: 'stage_id',
  owner_email: 'owner_id',
  pipeline_name: 'pipeline_id',
  account_name: 'account_id',
};
const shownNames = Object.fromEntries(Object.entries(idNames).map(([name, id]) => [id, name]));

const showGroup = ({ key, label, ...figures }: SummaryGroup): Record<string, unknown> => ({
  ...Object.fromEntries(Object.keys(key).map((name) => [shownNames[name] ?? name, label[name] ?? key[name]])),
  ...figures,
});

/** `summarize_deals` */
export const summarizeDeals = defineTool({
  name: 'summarize_deals',
  title: 'Summarize deals',
  description: `Counts deals and computes sums, averages, minimums and maximums, by group. Amounts of different currencies are never added. ${foreignWords}`,
  annotations: reads,
  needs: [['search', 'summarizeOpportunities']],
  input: z.object({
    ...filterArguments,
    group_by: texts(
      'up to 2 of stage_name, owner_email, pipeline_name, account_name, currency, close_date:month (day, week, month, quarter, year), select fields',
    ),
    measures: texts('such as sum:amount, avg:amount; count is always returned'),
    cursor: text(),
  }),
  output: z.object({
    groups: z.array(anyObject),
    total: anyObject,
    total_by_currency: z.array(anyObject).optional(),
    ...resultProperties,
  }),
  run: async ({ crm, setup }, { group_by: groupBy = [], measures = [], cursor, ...filters }) => {
    const found = await readFilters('deal', filters, setup);
    const groups = groupBy.map((name) => idNames[name] ?? name);
    const { data } = await crm.opportunities.summarize({ ...found, group_by: groups, measures });
    const page = await readFittingPage(cursor, 1_000, async () => ({ items: data.groups.map(showGroup), next: null }));
    const { items, ...rest } = page;
    const currencies = data.total_by_currency.slice(0, 20);
    return {
      groups: items,
      total: data.total,
      ...(currencies.length > 1 && { total_by_currency: currencies }),
      ...rest,
      notice,
    };
  },
});
