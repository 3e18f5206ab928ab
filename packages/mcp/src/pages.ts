import { countFitting } from './budget.js';
import { invalid } from './tool-error.js';

const defaultLimit = 20;

/**
 * Reads a page and returns as many of its items as fit into a result. A cursor of the API is valid only with the limit
 * of its page. So the cursor of a tool has the limit, the number of items to skip and the cursor of the API:
 * `20.12.eyJ…` is the page of 20 items at `eyJ…`, without its first 12.
 *
 * @param readPage - reads a page in the form in which it is shown; `cursor` is undefined for the first one
 */
export const readFittingPage = async <Item>(
  sent: string | undefined,
  limit: number | undefined,
  readPage: (page: { readonly limit: number; readonly cursor?: string }) => Promise<{
    readonly items: readonly Item[];
    readonly next: string | null;
  }>,
): Promise<{ readonly items: readonly Item[]; readonly next_cursor?: string }> => {
  const first = `${limit ?? defaultLimit}.0.`;
  const [, size, skipped, cursor = ''] = /^(\d{1,4})\.(\d{1,4})\.(.*)$/s.exec(sent ?? first) ?? [];
  if (size === undefined) throw invalid({ cursor: 'must be the next_cursor of an earlier result' });
  const page = await readPage({ limit: Number(size), ...(cursor !== '' && { cursor }) });
  const left = page.items.slice(Number(skipped));
  const count = countFitting(left);
  const items = left.slice(0, count);
  if (count < left.length) return { items, next_cursor: `${size}.${Number(skipped) + count}.${cursor}` };
  return page.next === null ? { items } : { items, next_cursor: `${size}.0.${page.next}` };
};
