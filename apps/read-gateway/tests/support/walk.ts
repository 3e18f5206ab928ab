import type { ObjectType } from '@crm/domain';
import { type Answer, guardWalk, type TestClient } from '@crm/testing';
import type { Question } from '../property/oracle.js';
import { pageIn, recordsIn, subjects, type WireRecord } from './subject.js';

/** Reads a list to its end. @param read - reads the page at a cursor; that of the first page is empty */
export const walkPages = async <One extends Answer>(read: (cursor: string) => Promise<One>): Promise<One[]> => {
  const answers: One[] = [];
  const guarded = guardWalk();
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer = await read(cursor);
    if (answer.status !== 200) throw new Error(`Not a page: ${answer.text.slice(0, 2_000)}`);
    const { has_more: hasMore, next_cursor: next } = pageIn(answer);
    if (hasMore !== (next !== null)) throw new Error(`has_more contradicts next_cursor: ${answer.text.slice(-200)}`);
    answers.push(answer);
    cursor = guarded(next);
  }
  return answers;
};

/**
 * The records of a search, read by cursor to the end. Checks that every page except the last is full and shows its limit.
 * @param betweenPages runs while each page is read, like the requests of other callers
 */
export const walkSearch = async (
  client: TestClient,
  objectType: ObjectType,
  body: Question & { readonly limit: number },
  betweenPages?: () => Promise<void>,
): Promise<readonly WireRecord[]> => {
  const subject = subjects[objectType];
  const answers = await walkPages(async (cursor) => {
    const path = `/v1/${subject.collection}/search`;
    const [answer] = await Promise.all([client.send('POST', path, { body: { ...body, cursor } }), betweenPages?.()]);
    const isFull = recordsIn(answer, subject).length === body.limit;
    const { limit, has_more: hasMore } = pageIn(answer);
    if (limit !== body.limit || (hasMore && !isFull)) throw new Error(`Not a page of ${body.limit}: ${answer.text}`);
    return answer;
  });
  const pages = answers.map((answer) => recordsIn(answer, subject));
  // After has_more the next page must not be empty, unless other calls moved its records meanwhile.
  if (pages.length > 1 && pages.at(-1)?.length === 0 && betweenPages === undefined)
    throw new Error('The last page of the walk is empty');
  return pages.flat();
};
