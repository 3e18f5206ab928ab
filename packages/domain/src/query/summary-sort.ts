import type { ErrorCollector } from '../errors.js';
import { fail, ok, type Result } from '../result.js';
import { quote } from './quote.js';
import { readSortKeys, type SortDirection } from './sort.js';
import type { SummaryGroup, SummaryMeasure } from './summary.js';

/** What the groups of a summary are sorted by: their count, a measure or a key, by its index in the request. */
export type SummarySortField = { readonly by: 'count' } | { readonly by: 'measure' | 'group'; readonly index: number };

/** One key of the sort of a summary. */
export type SummarySortKey = SummarySortField & { readonly direction: SortDirection };

/** The most names in an error text. */
const maxNames = 6;

/**
 * Reads the `sort` of a summary: `count`, or a measure or group as the request names it, with `:desc` or as `{field, direction}`.
 *
 * `sum:amount:desc`, `close_date:month`
 *
 * @param input - null, undefined and an empty list mean the default
 * @returns an empty list for the default
 */
export const parseSummarySort = (
  input: unknown,
  groups: readonly Pick<SummaryGroup, 'name'>[],
  measures: readonly Pick<SummaryMeasure, 'name'>[],
  errors: ErrorCollector,
): readonly SummarySortKey[] => {
  if (input === undefined || input === null) return [];
  const fields = new Map<string, SummarySortField>([
    ['count', { by: 'count' }],
    ...measures.map(({ name }, index) => [name, { by: 'measure', index }] as const),
    ...groups.map(({ name }, index) => [name, { by: 'group', index }] as const),
  ]);
  const parse = (name: unknown): Result<SummarySortField> => {
    const field = typeof name === 'string' ? fields.get(name) : undefined;
    if (field !== undefined) return ok(field);
    const names = [...fields.keys()];
    const others = names.length > maxNames ? ', …' : '';
    const known = `${names.slice(0, maxNames).join(', ')}${others}`;
    const sent = typeof name === 'string' ? `cannot sort by ${quote(name)}: ` : '';
    return fail(`${sent}must be a measure or group of this request: ${known}`);
  };
  const reader = {
    split: (text: string) => {
      const [, name = '', direction = 'asc'] = /^(.*?)(?::(asc|desc))?$/s.exec(text) ?? [];
      return [name, direction] as const;
    },
    parse,
    identityOf: (field: SummarySortField) => (field.by === 'count' ? 'count' : `${field.by} ${field.index}`),
  };
  return readSortKeys(input, reader, errors).map(({ named, direction }) => ({ ...named, direction }));
};
