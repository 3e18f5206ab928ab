// The documents have the rules between the properties of a body, which the handlers of the gateways check.
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { buildOpenApiDocument } from './openapi.js';
import { describedOperations } from './operations/all.js';
import { compileFile } from './validation.js';

const document = buildOpenApiDocument('both', describedOperations);
const id = 'https://crm.example/openapi';
const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
for (const size of ['int32', 'int64', 'double']) ajv.addFormat(size, true);
ajv.addSchema({ ...document, $id: id });

const uuid = '0197a3c4-5b1e-7c3a-9f00-2d6f1c0a7b11';
const field = { object: 'opportunity', current_name: 'Tier', slug: 'tier', attribute_type: 'string' };
const select = { ...field, attribute_type: 'select', options: [{ label: 'Gold' }] };
const note = { title: 'Call' };
const pipeline_id = uuid;

/** Bodies with properties that depend on each other: those that the gateway accepts, and those that it refuses for their form. */
const rules: [id: string, accepted: object[], refused: object[]][] = [
  [
    'createAccount',
    [{ domain: 'acme.com' }, { external_id: '1' }, { domain: null, external_id: '1' }],
    [{}, { domain: null }, { external_id: ' ' }, { external_id: null }, { industry: 'x' }],
  ],
  ['createContact', [{ email: 'a@b.co' }, { external_id: '1' }], [{}, { first_name: 'Ada' }, { email: null }]],
  [
    'createOpportunity',
    [
      { pipeline_id, opportunity: { name: 'A' } },
      { pipeline_id, opportunity: { external_id: '1' } },
    ],
    [{}, { pipeline_id }, { pipeline_id, opportunity: {} }, { opportunity: { name: 'A' } }],
  ],
  [
    'createNote',
    [
      { note, account_domains: ['acme.com'] },
      { note: { content: 'A', title: ' ' }, contact_external_ids: ['1'], account_domains: [] },
      { note, related_objects: { opportunity_ids: [uuid] }, contact_emails: null },
    ],
    [
      ...[{ note }, { note, account_domains: [] }, { note, account_domains: null, related_objects: {} }],
      ...[{ note: {} }, { note: { title: ' ' } }, { note: { title: null, content: '' } }].map((each) => ({
        ...each,
        account_domains: ['acme.com'],
      })),
    ],
  ],
  [
    'createField',
    [
      ...[field, { ...field, options: null, max: null, currency: null, position: null, is_hidden: null }, select],
      ...[
        { ...field, attribute_type: 'rating', max: 5 },
        { ...field, attribute_type: 'currency', currency: 'EUR' },
      ],
      { ...field, pipeline_ids: [uuid] },
    ],
    [
      ...[
        { ...select, options: [] },
        { ...select, options: null },
        { ...field, options: [{ label: 'Gold' }] },
      ],
      ...[
        { ...field, options: [] },
        { ...field, max: 5 },
        { ...field, currency: 'EUR' },
        { ...select, max: 5 },
      ],
      { ...field, object: 'account', pipeline_ids: [uuid] },
    ],
  ],
  ...['updatePipeline', 'updateStage', 'updateField', 'updateMember'].map((id): [string, object[], object[]] => [
    id,
    [id === 'updateStage' ? { label: 'A' } : { is_active: true }],
    [{}],
  ]),
  [
    'updateStage',
    [
      { is_active: false, move_opportunities_to: uuid },
      { label: 'A', move_opportunities_to: null },
    ],
    [{ move_opportunities_to: uuid }, { is_active: true, move_opportunities_to: uuid }],
  ],
  [
    'createWebhook',
    [
      ...[{ url: 'https://a.example' }, { url: 'HTTPS://a.example:8443/x' }],
      // An installation may call private networks.
      { url: 'http://10.0.0.1', objects: null, types: null, changed: null, payload: null },
    ],
    [{}, { url: '' }, { url: 'a.example' }, { url: 'ftp://a.example' }, { url: 'mailto:a@a.example' }],
  ],
  [
    'restoreRecord',
    [{ position: 1 }, { object: 'account', id: uuid }],
    [{}, { object: 'account' }, { id: uuid }, { position: 1, id: uuid }, { position: 1, object: 'account', id: uuid }],
  ],
  [
    'skipWebhookEvents',
    [{ from: 1 }, { from: 1, to: 2, parked: false }, { parked: true }],
    [{}, { to: 1 }, { parked: false }, { from: 1, parked: true }, { to: 1, parked: true }],
  ],
];

describe('the documents refuse and accept what the gateways do', () => {
  it.each(rules)('for the rules between the properties of %s', (name, accepted, refused) => {
    const contract = describedOperations.find((each) => each.id === name);
    const title = String(Reflect.get(contract?.body ?? {}, 'title'));
    const accepts = ajv.compile({ $ref: `${id}#/components/schemas/${title}` });
    const { body } = contract ?? {};
    expect(accepted.filter((each) => !accepts(each))).toEqual([]);
    expect(body === undefined ? [] : accepted.map((each) => compileFile(body)(each))).toEqual(accepted.map(() => null));
    expect(refused.filter((each) => accepts(each))).toEqual([]);
  });
});
