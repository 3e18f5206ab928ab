import { createNote, type mergeAccount, type mergeContact, type OperationContract } from '@crm/contract';
import type { TestGateway } from './gateway.js';

type Headers = Readonly<Record<string, string>>;

/** Calls and queries for the tests of merges. `ORG` in a query stands for the condition on the organization. */
export const mergingOf = (gateway: () => TestGateway) => {
  const create = <C extends OperationContract>(contract: C, body: object, query?: Headers) =>
    gateway().client.call(contract, { body, query });
  const rows = (text: string, values: readonly unknown[] = []) =>
    gateway().rows(`SELECT ${text.replace('ORG', 'organization_id = $1')}`, values);
  return {
    create,
    rows,
    merge: (contract: typeof mergeAccount | typeof mergeContact, id: string, body: object, headers: Headers = {}) =>
      gateway().client.call(contract, { params: { id }, body, headers }),
    note: async (title: string, on: object): Promise<string> =>
      (await create(createNote, { note: { title }, ...on })).data.note_id,
    row: async (table: string, id: string) => (await rows(`* FROM ${table} WHERE ORG AND id = $2`, [id]))[0],
    countOf: async (table: string): Promise<unknown> => (await rows(`count(*)::int AS n FROM ${table} WHERE ORG`))[0],
    position: async (): Promise<number> =>
      Number((await rows('coalesce(max(position), 0) AS n FROM events WHERE ORG'))[0]?.['n']),
    eventsAfter: (after: number) =>
      rows('type, record_id, version FROM events WHERE ORG AND position > $2 ORDER BY position', [after]),
  };
};
