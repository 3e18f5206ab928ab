/** @needs python3 python3-venv */
// A validator that is not ours, openapi-core, stands between the tests of the client and the gateways, as a validating API gateway
// would. It reads the published documents, and must accept and refuse what the gateways do.
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import './support/start-validators.js';
// The tests of these files become tests of this one, with the addresses of the validators.
import './client.test.js';
import './events.test.js';
import { startTestCrm, type TestCrm } from './support/crm.js';
import { takeVerdicts, type Verdict } from './support/document-validators.js';
import { ruledBodies, type RuledIds } from './support/ruled-bodies.js';

/** What only the documents refuse, by the place: the short forms of searches. docs/how-to/run-behind-a-proxy.md lists them. */
const shortForms = /^(filters|sort):/;
/** What only a gateway can refuse: by the text of the refusal, why. */
const onlyByGateways: readonly (readonly [RegExp, string])[] = [
  [/X-Read-After/, 'the token is opaque'],
  [/last position/, 'depends on stored data'],
];

test('the validator accepts all that the gateways accept, and refuses all that they refuse for its form', async () => {
  const seen = await takeVerdicts();
  const show = ({ request, body, refusals, status, answer }: Verdict) =>
    `${request} ${body.slice(0, 300)}: ${status} ${refusals.join('; ')} ${status === 400 ? answer : ''}`;
  expect(seen.filter(({ status }) => status === 200).length).toBeGreaterThan(50);
  const isShort = ({ refusals }: Verdict) => refusals.every((each) => shortForms.test(each));
  const narrower = seen.filter((each) => each.refusals.length > 0 && each.status !== 400 && !isShort(each));
  expect(narrower.map(show)).toEqual([]);
  const isKnown = ({ answer }: Verdict) => onlyByGateways.some(([text]) => text.test(answer));
  const missed = seen.filter((each) => each.refusals.length === 0 && each.status === 400 && !isKnown(each));
  expect(missed.map(show)).toEqual([]);
  expect(seen.filter(({ faults }) => faults.length > 0).map(({ request, faults }) => [request, faults])).toEqual([]);
});

describe('bodies whose properties depend on each other', () => {
  let crm: TestCrm;
  beforeAll(async () => {
    crm = await startTestCrm(readTestStack());
  });
  afterAll(() => crm.stop());

  const send = async (call: string, body?: object) => {
    const [method = '', path = ''] = call.split(' ');
    const headers = { 'x-api-key': crm.organization.key, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${crm.addresses.inboundUrl}${path}`, { method, headers, ...sent });
    return (await response.json()) as { data: Record<string, Record<string, unknown>> };
  };
  const makeIds = async (): Promise<RuledIds> => {
    const { pipeline, member } = crm.organization;
    const external_id = 'known';
    const { accounts, contacts, opportunities } = crm.client;
    const account = (await accounts.create({ domain: 'kept.example', external_id })).data.company_id;
    await contacts.create({ email: 'known@kept.example', external_id });
    const deal = { pipeline_id: pipeline.id, opportunity: { name: 'Deal', external_id } };
    const { opportunity_id } = (await opportunities.create(deal)).data;
    const gone = ['first.example', 'second.example'].map(async (domain) => {
      const id = (await accounts.create({ domain })).data.company_id;
      return { id, position: (await accounts.delete(id)).data.position };
    });
    const field = { object: 'account', current_name: 'Size', slug: 'size', attribute_type: 'number' };
    const { data: withField } = await send('POST /v1/inbound/fields', field);
    const { data: withWebhook } = await send('POST /v1/inbound/webhooks', { url: 'https://hooks.example' });
    return {
      ...{ pipeline: pipeline.id, stage: pipeline.stages[0]?.id ?? '', otherStage: pipeline.stages[1]?.id ?? '' },
      ...{ member: member.id, opportunity: opportunity_id, account },
      field: String(withField['field']?.['field_id']),
      webhook: String(withWebhook['webhook']?.['webhook_id']),
      deleted: await Promise.all(gone),
      externalId: external_id,
    };
  };

  test('have one verdict: that of the gateway, of the validator and of this table', async () => {
    const table = ruledBodies(await makeIds());
    await takeVerdicts();
    const expected: string[] = [];
    for (const { call, accepted, refused } of table)
      for (const [verdict, bodies] of [
        ['accepts', accepted],
        ['refuses', refused],
      ] as const)
        for (const body of bodies) {
          await send(call, body);
          expected.push(`${call} ${JSON.stringify(body)}: gateway ${verdict}, document ${verdict}`);
        }
    const seen = await takeVerdicts();
    const shown = seen.map(({ request, body, status, refusals, answer }) => {
      const isAccepted = status === 200;
      const words = `gateway ${isAccepted ? 'accepts' : 'refuses'}, document ${refusals.length === 0 ? 'accepts' : 'refuses'}`;
      return { text: `${request} ${body}: ${words}`, reason: isAccepted ? refusals.join('; ') : answer };
    });
    const wrong = shown.filter(({ text }, index) => text !== expected[index]);
    expect(wrong).toEqual([]);
    expect(shown).toHaveLength(expected.length);
  });
});
