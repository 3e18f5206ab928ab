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
const apiName = (name: string): string => idNames[name] ?? name;
/** The key of a sort by the names of the API: `stage_name:desc` → `stage_id:desc`. */
const apiSort = (key: string): string => {
  const [, name = '', direction = ''] = /^(.*?)(:asc|:desc)?$/s.exec(key) ?? [];
  return `${apiName(name)}${direction}`;
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
  description: `Counts deals and computes sums, averages, minimums, maximums, medians and 90th percentiles, by group. Amounts of different currencies are never added. ${foreignWords}`,
  annotations: reads,
  needs: [['search', 'summarizeOpportunities']],
  input: z.object({
    ...filterArguments,
    group_by: texts(
      'up to 3 of stage_name, outcome, owner_email, pipeline_name, account_name, currency, close_date:month (day, week, month, quarter, year), select fields, account.industry',
    ),
    measures: texts('such as sum:amount, sum:weighted_amount, median:days_to_close; count is always returned'),
    sort: texts('count, or names of measures and groups, such as sum:amount:desc'),
    time_zone: text('of dates, such as Europe/Berlin'),
    limit: z.int().min(1).max(1_000).optional(),
    cursor: text(),
  }),
  output: z.object({
    groups: z.array(anyObject),
    total: anyObject,
    total_by_currency: z.array(anyObject).optional(),
    ...resultProperties,
  }),
  run: async (
    { crm, setup },
    { group_by: groupBy = [], measures = [], sort = [], time_zone, limit, cursor, ...filters },
  ) => {
    const found = await readFilters('deal', filters, setup);
    const groups = { group_by: groupBy.map(apiName), sort: sort.map(apiSort) };
    const shown = { ...(time_zone !== undefined && { time_zone }), ...(limit !== undefined && { limit }) };
    const { data } = await crm.opportunities.summarize({ ...found, ...groups, ...shown, measures });
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
