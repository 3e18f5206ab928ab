import type { CrmClient, SummaryGroup } from '@crm/client';
import { z } from 'zod';
import { filterArguments, readFilters } from '../filters.js';
import { readFittingPage } from '../pages.js';
import type { Session } from '../tool.js';
import { invalid } from '../tool-error.js';
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

type StageFigures = Awaited<ReturnType<CrmClient['opportunities']['stageSummary']>>['data']['stages'][number];

/** A stage without ids. */
const showStage = ({ stage_id: _, moves, ...figures }: StageFigures): Record<string, unknown> => ({
  ...figures,
  moves: moves.map(({ stage_id: _id, ...move }) => move),
});

/** Summarizes the stays in the stages of a pipeline, of all its deals. */
const summarizeStays = async (
  { crm, setup }: Session,
  name: string,
  period: { readonly from?: string | undefined; readonly to?: string | undefined },
) => {
  const { pipeline_id: id } = await setup.findPipeline(name, 'stays_in');
  const { from, to } = period;
  const bounds = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const { stages } = (await crm.opportunities.stageSummary({ pipeline_id: id, ...bounds })).data;
  const sumOf = (figure: 'entered' | 'left') => stages.reduce((sum, stage) => sum + stage[figure], 0);
  return { items: stages.map(showStage), total: { entered: sumOf('entered'), left: sumOf('left') } };
};

/** @throws ToolError that names the arguments that do not fit together */
const refuseOtherArguments = (staysIn: string | undefined, period: object, others: object): void => {
  const sent = Object.entries(staysIn === undefined ? period : others).filter(([, value]) => value !== undefined);
  const fault = staysIn === undefined ? 'works with stays_in only' : 'does not work with stays_in';
  if (sent.length > 0) throw invalid(Object.fromEntries(sent.map(([name]) => [name, fault])));
};

/** `summarize_deals` */
export const summarizeDeals = defineTool({
  name: 'summarize_deals',
  title: 'Summarize deals',
  description: `Counts deals and computes sums, averages, minimums, maximums, medians and 90th percentiles, by group. Or tells how long deals stay in each stage and where they go. Amounts of different currencies are never added. ${foreignWords}`,
  annotations: reads,
  needs: [['search', 'summarizeOpportunities', 'summarizeStages']],
  input: z.object({
    ...filterArguments,
    group_by: texts(
      'up to 3 of stage_name, outcome, owner_email, pipeline_name, account_name, currency, close_date:month (day, week, month, quarter, year), select fields, account.industry',
    ),
    measures: texts('such as sum:amount, sum:weighted_amount, median:days_to_close; count is always returned'),
    sort: texts('count, or names of measures and groups, such as sum:amount:desc'),
    time_zone: text('of dates, such as Europe/Berlin'),
    limit: z.int().min(1).max(1_000).optional(),
    stays_in: text('a pipeline: its stages instead, with their stays that began in a period and their moves'),
    from: text('of stays_in, such as 2026-07-01'),
    to: text('exclusive'),
    cursor: text(),
  }),
  output: z.object({
    groups: z.array(anyObject),
    total: anyObject,
    total_by_currency: z.array(anyObject).optional(),
    ...resultProperties,
  }),
  run: async (session, { stays_in: staysIn, from, to, cursor, ...others }) => {
    refuseOtherArguments(staysIn, { from, to }, others);
    if (staysIn !== undefined) {
      const { items: stages, total } = await summarizeStays(session, staysIn, { from, to });
      const page = await readFittingPage(cursor, 1_000, async () => ({ items: stages, next: null }));
      const { items, ...rest } = page;
      return { groups: items, total, ...rest, notice };
    }
    const { group_by: groupBy = [], measures = [], sort = [], time_zone, limit, ...filters } = others;
    const { crm, setup } = session;
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
