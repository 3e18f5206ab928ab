/** The records that the bodies name. All exist. */
export interface RuledIds {
  readonly pipeline: string;
  readonly stage: string;
  readonly otherStage: string;
  readonly field: string;
  readonly member: string;
  readonly webhook: string;
  readonly opportunity: string;
  readonly account: string;
  /** Deleted accounts, and the positions of their deletions. */
  readonly deleted: readonly { readonly id: string; readonly position: number }[];
  /** The account, the opportunity and a contact have it. */
  readonly externalId: string;
}

/** Bodies of one operation whose properties depend on each other. */
export interface RuledBodies {
  readonly call: string;
  /** The gateway and the document accept these. */
  readonly accepted: readonly object[];
  /** The gateway refuses these for their form alone, and so does the document. */
  readonly refused: readonly object[];
}

const field = { object: 'opportunity', current_name: 'Tier', attribute_type: 'string' };
const select = { ...field, attribute_type: 'select', options: [{ label: 'Gold' }] };
/** The same field under a new slug, because a slug can be taken once. */
const numbered = (bodies: readonly object[], kind: string): object[] =>
  bodies.map((body, index) => ({ ...body, slug: `${kind}_${index}`, current_name: `${kind} ${index}` }));

const fields = ({ pipeline }: RuledIds): RuledBodies => ({
  call: 'POST /v1/inbound/fields',
  accepted: numbered(
    [
      ...[field, { ...field, options: null, max: null, currency: null, position: null, is_hidden: null }, select],
      { ...field, attribute_type: 'rating', max: 5 },
      { ...field, attribute_type: 'currency', currency: 'EUR' },
      { ...field, pipeline_ids: [pipeline] },
    ],
    'accepted',
  ),
  refused: numbered(
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
      ...[
        { ...select, options: [{ label: ' ' }] },
        { ...field, attribute_type: 'rating', max: 0 },
      ],
      { ...field, object: 'account', pipeline_ids: [pipeline] },
    ],
    'refused',
  ),
});

const notes = ({ opportunity }: RuledIds): RuledBodies => {
  const note = { title: 'Call' };
  const account_domains = ['acme.com'];
  return {
    call: 'POST /v1/inbound/notes',
    accepted: [
      { note, account_domains },
      { note: { content: 'A', title: ' ' }, contact_emails: ['ada@acme.com'], account_domains: [] },
      { note, related_objects: { opportunity_ids: [opportunity] }, contact_emails: null },
    ],
    refused: [
      ...[{ note }, { note, account_domains: [] }, { note, account_domains: null, related_objects: {} }],
      { note, related_objects: { opportunity_ids: [] } },
      ...[{}, { title: ' ' }, { title: null, content: '' }].map((empty) => ({ note: empty, account_domains })),
    ],
  };
};

const records = ({ pipeline: pipeline_id, account, deleted, externalId: external_id }: RuledIds): RuledBodies[] => [
  {
    call: 'POST /v1/inbound/accounts',
    accepted: [{ domain: 'acme.com' }, { external_id }, { domain: null, external_id }],
    refused: [{}, { domain: null }, { external_id: ' ' }, { external_id: null }, { industry: 'x' }, { domain: '' }],
  },
  {
    call: 'POST /v1/inbound/contacts',
    accepted: [{ email: 'a@b.co' }, { external_id }],
    refused: [{}, { first_name: 'Ada' }, { email: null }, { email: `a@${'b'.repeat(60)}.${'c.'.repeat(100)}co` }],
  },
  {
    call: 'POST /v1/inbound/opportunities',
    accepted: [
      ...[{ name: 'A' }, { external_id }].map((opportunity) => ({ pipeline_id, opportunity })),
      ...[{ pipeline: 'Sales' }, { pipeline_id: null, pipeline: 'Sales' }, { pipeline_id, pipeline: ' ' }].map(
        (named) => ({ ...named, opportunity: { name: 'A' }, primary_contact: null, note: { content: 'B' } }),
      ),
    ],
    refused: [
      ...[{}, { pipeline_id }, { pipeline_id, opportunity: {} }, { opportunity: { name: 'A' } }],
      ...[{ pipeline: ' ' }, { pipeline: null }, { pipeline_id: null }, { pipeline_id, note: {} }].map((wrong) => ({
        ...wrong,
        opportunity: { name: 'A' },
      })),
      { pipeline_id, opportunity: { name: 'A' }, note: { title: ' ', content: '' } },
      { pipeline_id, opportunity: { name: 'A' }, primary_contact: { first_name: 'Ada' } },
    ],
  },
  {
    call: 'POST /v1/inbound/restore',
    accepted: [{ position: deleted[0]?.position }, { object: 'account', id: deleted[1]?.id }],
    refused: [
      ...[{}, { object: 'account' }, { id: account }, { position: 1, id: account }],
      { position: 1, object: 'account', id: account },
    ],
  },
];

const setups = ({ pipeline, stage, otherStage, field: fieldId, member }: RuledIds): RuledBodies[] => [
  { call: `PATCH /v1/inbound/pipelines/${pipeline}`, accepted: [{ is_active: true }], refused: [{}, { name: ' ' }] },
  { call: `PATCH /v1/inbound/fields/${fieldId}`, accepted: [{ is_active: true }], refused: [{}] },
  { call: `PATCH /v1/inbound/members/${member}`, accepted: [{ name: 'Olga' }], refused: [{}, { email: 'olga' }] },
  {
    call: `PATCH /v1/inbound/stages/${stage}`,
    accepted: [
      ...[{ label: 'A' }, { label: 'B', move_opportunities_to: null }, { color: 'blue' }, { color: '#2563eb' }],
      { is_active: false, move_opportunities_to: otherStage },
    ],
    refused: [
      ...[{}, { move_opportunities_to: otherStage }, { is_active: true, move_opportunities_to: otherStage }],
      ...[{ color: 'mauve' }, { color: '#2563e' }],
    ],
  },
];

const webhooks = ({ webhook }: RuledIds): RuledBodies[] => [
  {
    call: 'POST /v1/inbound/webhooks',
    accepted: [
      ...[{ url: 'https://a.example' }, { url: 'HTTPS://a.example:8443/x' }],
      { url: 'https://b.example', objects: null, types: null, changed: null, payload: null },
    ],
    refused: [{}, { url: '' }, { url: 'a.example' }, { url: 'ftp://a.example' }, { url: 'mailto:a@a.example' }],
  },
  {
    call: `POST /v1/inbound/webhooks/${webhook}/skip`,
    accepted: [{ from: 1 }, { from: 1, to: 2, parked: false }, { parked: true }],
    refused: [{}, { to: 1 }, { parked: false }, { from: 1, parked: true }, { to: 1, parked: true }],
  },
];

/** Bodies for each rule between the properties of a body, and for rules of single values. */
export const ruledBodies = (ids: RuledIds): readonly RuledBodies[] => [
  ...records(ids),
  ...[notes(ids), fields(ids)],
  ...setups(ids),
  ...webhooks(ids),
];
