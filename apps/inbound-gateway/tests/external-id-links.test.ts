import * as contracts from '@crm/contract';
import type { Answer } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { recordsOf, statusOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const { row } = recordsOf(gateway);

type Fields = Readonly<Record<string, unknown>>;

const idOf = ({ data }: Answer): string => Object.values(data as Readonly<Record<string, string>>)[0] ?? '';

describe('external_id of an opportunity', () => {
  const createAccount = (domain: string) => gateway().client.call(contracts.createAccount, { body: { domain } });
  const send = (
    fields: Fields,
    related_objects: Fields = {},
    onMatch = 'keep',
    { id } = gateway().organization.pipeline,
  ) =>
    gateway().client.call(contracts.createOpportunity, {
      body: { pipeline_id: id, opportunity: fields, related_objects },
      query: { on_match: onMatch },
    });

  test('200: replaces the account and contacts of the record with on_match=update', async () => {
    const external_id = 'related';
    const id = idOf(await send({ name: 'Related', external_id }, { account_domain: 'first.example' }));
    const second = { account_domain: 'second.example', primary_contact_email: 'p@second.example' };
    const kept = await send({ external_id }, second);
    expect([statusOf(kept), kept.fieldsWarnedOf]).toEqual(['updated', ['related_objects.account_domain']]);
    const stored = { account_domain: 'first.example', contact_email: 'p@second.example' };
    expect(await row('opportunities', id)).toMatchObject(stored);
    expect(statusOf(await send({ external_id }, second, 'update'))).toBe('updated');
    expect(statusOf(await send({ external_id }, {}, 'update'))).toBe('matched');
    expect(await row('opportunities', id)).toMatchObject({ account_domain: 'second.example', name: 'Related' });
  });

  test('409: refuses a record in another pipeline', async () => {
    const id = idOf(await send({ name: 'Piped', external_id: 'piped' }));
    const answer = await send({ external_id: 'piped' }, {}, 'update', gateway().organization.otherPipeline);
    expect([answer.status, answer.body.conflict]).toEqual([409, { field: 'opportunity.external_id', existing_id: id }]);
  });

  test('a merge of accounts also takes it for opportunities that are merged with them', async () => {
    const kept = idOf(await send({ name: 'Collides' }, { account_domain: 'keeps.example' }));
    await send({ name: 'Collides', external_id: 'collides' }, { account_domain: 'goes.example' });
    const [id, from] = [await createAccount('keeps.example'), await createAccount('goes.example')];
    const body = { from: idOf(from), deals: 'merge' };
    expect((await gateway().client.call(contracts.mergeAccount, { params: { id: idOf(id) }, body })).status).toBe(200);
    expect(await row('opportunities', kept)).toMatchObject({ external_id: 'collides' });
  });
});
