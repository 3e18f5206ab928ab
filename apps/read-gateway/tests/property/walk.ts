import type { TestClient } from '@crm/testing';
import type { ObjectType } from '@crm/domain';
import type { Question } from './oracle.js';

/** The parts of a page that a walk uses. */
interface AnyPage {
  readonly has_more: boolean;
  readonly next_cursor: string | null;
  readonly limit: number;
}

interface WalkedRecord {
  readonly id: string;
  readonly custom_fields: Readonly<Record<string, unknown>>;
}

const collections: Readonly<Record<ObjectType, string>> = {
  opportunity: 'opportunities',
  account: 'accounts',
  contact: 'contacts',
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
): Promise<readonly WalkedRecord[]> => {
  const collection = collections[objectType];
  const walked: WalkedRecord[] = [];
  let cursor: string | null = null;
  do {
    const request = { body: { ...body, cursor } };
    const [answer] = await Promise.all([client.send('POST', `/v1/${collection}/search`, request), betweenPages?.()]);
    const page = answer.data as AnyPage & Readonly<Record<string, readonly WalkedRecord[]>>;
    const records: readonly WalkedRecord[] = page[collection] ?? [];
    const isFull = records.length === body.limit;
    if (page.limit !== body.limit || page.has_more !== (page.next_cursor !== null) || (page.has_more && !isFull)) {
      throw new Error(`Not a page of ${body.limit}: ${answer.text.slice(0, 2_000)}`);
    }
    // After has_more the next page must not be empty, unless other calls moved its records meanwhile.
    if (cursor !== null && records.length === 0 && betweenPages === undefined)
      throw new Error('The last page of the walk is empty');
    walked.push(...records);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return walked;
};
