import { buildOpenApiDocument, readOperations } from '@crm/contract';
import {
  damaged,
  documentedOperations,
  countAnswers,
  hostileHeaders,
  hostileText,
  hostileValue,
  reportFigure,
  type DocumentedOperation,
  type OpenApiDocument,
  type TestRequest,
  propertyRuns,
} from '@crm/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestGateway, useGateway } from './support/gateway.js';

const runs = propertyRuns({ short: 30, soak: 10_000 });
const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2_147_483_647);

const gateway = useGateway(startTestGateway);
let serverErrors = 0;

beforeAll(async () => {
  process.stdout.write(`hostile reads: ${runs} cases, FC_SEED=${seed}\n`);
  await gateway.organization.defineField({ objectType: 'opportunity', slug: 'remark', attributeType: 'string' });
  const { addDeals } = gateway.records();
  await addDeals([
    { name: 'Deal', primary: 'ann@acme.com' },
    { name: 'Other', nextStep: 'Call' },
  ]);
});
afterAll(async () => {
  reportFigure('R10', `5xx in ${runs} hostile reads`, serverErrors, 0);
  const { checked, faulty } = countAnswers();
  reportFigure('R21', `answers out of the contract, of ${checked} of the read gateway`, faulty, 0);
});

const document = buildOpenApiDocument('read', readOperations) as unknown as OpenApiDocument;
const documented = documentedOperations(document);
const searching = documented.filter(({ method }) => method === 'POST');
const summarizing = searching.filter(({ path }) => path.endsWith('/summary'));
const getting = documented.filter(({ method }) => method === 'GET');

/** Characters that a URL cannot carry: `fetch` would change them or refuse to send them. */
const urlPart = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

const names = [
  'pipeline_id',
  'stage_id',
  'q',
  'cursor',
  'limit',
  'fields',
  'fields[]',
  'account_id',
  'contact_id',
  'x',
];
/** At most 3,000 bytes in the address, so that five of them fit. A longer address gets 431 before it is read. */
const queryPart = (value: string): string =>
  urlPart(value)
    .slice(0, 3_000)
    .replace(/%[0-9A-F]?$/i, '');
const queryText = fc
  .array(fc.tuple(fc.constantFrom(...names), hostileText()), { maxLength: 5 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${queryPart(value)}`).join('&'));
/** Invalid escapes, and separators in odd places. */
const brokenQuery = fc
  .array(fc.constantFrom('%', '%0', '%ff', '%00', '&', '=', '&&', '[', ']', '+', 'q', 'limit', '%ed%a0%80', ';'), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

/** Good texts, hostile ones and values that are no text. */
const mixed = (...good: readonly string[]) => fc.oneof(fc.constantFrom(...good), hostileText(), hostileValue());
const fieldNames = ['name', 'amount', 'close_date', 'remark', 'custom__remark', 'account.domain', 'id', 'created_at'];
const operators = ['eq', 'neq', 'in', 'contains', 'starts_with', 'between', 'gt', 'empty', 'before', 'contains_all'];
const leaf = fc.record({ field: mixed(...fieldNames), operator: mixed(...operators), value: hostileValue() });
const filters = fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.record({ and: fc.array(leaf) }), hostileValue());
const question = { query: mixed('deal'), filters, limit: hostileValue(), pipeline_id: hostileValue() };
const searchBody = fc.record(
  { ...question, sort: mixed(...fieldNames), fields: mixed(...fieldNames), cursor: mixed('AAAA') },
  { requiredKeys: [] },
);
const summaryNames = ['stage_id', 'account_id', 'close_date:month', 'created_at:week', 'custom__remark', 'amount:day'];
const measureNames = ['count', 'sum:amount', 'avg:version', 'max:custom__remark', 'sum:', ':', 'sum:account.name'];
const list = (some: readonly string[]) => fc.oneof(fc.array(mixed(...some), { maxLength: 3 }), hostileValue());
const summaryBody = fc.record(
  { ...question, group_by: list(summaryNames), measures: list(measureNames) },
  { requiredKeys: [] },
);
const goodBody = JSON.stringify({
  query: 'deal',
  filters: { and: [{ field: 'name', operator: 'contains', value: 'e' }] },
  sort: [{ field: 'name', direction: 'desc' }],
  limit: 5,
});

/** An operation, the id in its path and the other parts of the request. */
type Case = readonly [DocumentedOperation, string, TestRequest];
const cases: readonly (readonly [string, fc.Arbitrary<Case>])[] = [
  [
    'queries, ids and headers',
    fc.tuple(
      fc.constantFrom(...getting),
      // With an empty id, or one of dots, this would be another path.
      fc.oneof(hostileText(), fc.uuid()).map((id) => (/^\.*$/.test(id) ? 'x' : id.slice(0, 1_000))),
      fc.record({ query: fc.oneof(queryText, brokenQuery), headers: hostileHeaders }),
    ),
  ],
  [
    'searches',
    fc.tuple(fc.constantFrom(...searching), fc.constant(''), fc.record({ body: searchBody, headers: hostileHeaders })),
  ],
  ['summaries', fc.tuple(fc.constantFrom(...summarizing), fc.constant(''), fc.record({ body: summaryBody }))],
  [
    'damaged bytes',
    fc.tuple(fc.constantFrom(...searching), fc.constant(''), fc.record({ rawBody: damaged(goodBody) })),
  ],
];

test.each(cases)(
  'R10: hostile %s never give a 5xx',
  async (_what, requests) => {
    const property = fc.asyncProperty(requests, async ([{ method, path }, id, request]) => {
      const { status } = await gateway.client.send(method, path.replace(/\{\w+\}/, urlPart(id)), request);
      if (status >= 500) serverErrors += 1;
      expect(status).toBeLessThan(500);
    });
    await fc.assert(property, { numRuns: Math.ceil(runs / 3), seed, endOnFailure: false });
  },
  60_000 + runs * 100,
);
