import { buildOpenApiDocument } from '@crm/contract';
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
import { operations } from '../src/operations/index.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

const runs = propertyRuns({ short: 45, soak: 10_000 });
const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2_147_483_647);

let gateway: TestGateway;
let serverErrors = 0;

beforeAll(async () => {
  process.stdout.write(`hostile reads: ${runs} cases, FC_SEED=${seed}\n`);
  gateway = await startTestGateway();
  await gateway.organization.defineField({ objectType: 'opportunity', slug: 'remark', attributeType: 'string' });
  const { addDeals } = recordsOf(
    () => gateway.database,
    () => gateway.organization,
  );
  await addDeals([
    { name: 'Deal', primary: 'ann@acme.com' },
    { name: 'Other', nextStep: 'Call' },
  ]);
});
afterAll(async () => {
  reportFigure('R10', `5xx in ${runs} hostile reads`, serverErrors, 0);
  const { checked, faulty } = countAnswers();
  reportFigure('R21', `answers out of the contract, of ${checked} of the read gateway`, faulty, 0);
  await gateway.stop();
});

const document = buildOpenApiDocument(
  'read',
  operations.map(({ contract }) => contract),
) as unknown as OpenApiDocument;
const documented = documentedOperations(document);
const searching = documented.filter(({ method }) => method === 'POST');
const summarizing = searching.filter(({ path }) => path.endsWith('/summary'));
const getting = documented.filter(({ method }) => method === 'GET');

/** Characters that a URL cannot carry: `fetch` would change them or refuse to send them. */
const urlPart = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

const expectHarmless = async (operation: DocumentedOperation, id: string, request: TestRequest): Promise<void> => {
  const { status } = await gateway.client.send(
    operation.method,
    operation.path.replace(/\{\w+\}/, urlPart(id)),
    request,
  );
  if (status >= 500) serverErrors += 1;
  expect(status).toBeLessThan(500);
};

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

const fieldNames = ['name', 'amount', 'close_date', 'remark', 'custom__remark', 'account.domain', 'id', 'created_at'];
const operators = ['eq', 'neq', 'in', 'contains', 'starts_with', 'between', 'gt', 'empty', 'before', 'contains_all'];
const leaf = fc.record({
  field: fc.oneof(fc.constantFrom(...fieldNames), hostileText()),
  operator: fc.oneof(fc.constantFrom(...operators), hostileText()),
  value: hostileValue(),
});
const searchBody = fc.record(
  {
    query: fc.oneof(hostileText(), hostileValue()),
    filters: fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.record({ and: fc.array(leaf) }), hostileValue()),
    sort: fc.oneof(fc.constantFrom(...fieldNames), hostileText(), hostileValue()),
    fields: fc.oneof(hostileText(), hostileValue()),
    limit: hostileValue(),
    cursor: fc.oneof(hostileText(), fc.base64String({ maxLength: 200 })),
    pipeline_id: hostileValue(),
  },
  { requiredKeys: [] },
);

const summaryNames = ['stage_id', 'account_id', 'close_date:month', 'created_at:week', 'custom__remark', 'amount:day'];
const measureNames = ['count', 'sum:amount', 'avg:version', 'max:custom__remark', 'sum:', ':', 'sum:account.name'];
const summaryBody = fc.record(
  {
    query: hostileText(),
    filters: fc.oneof(leaf, hostileValue()),
    group_by: fc.oneof(
      fc.array(fc.oneof(fc.constantFrom(...summaryNames), hostileText()), { maxLength: 3 }),
      hostileValue(),
    ),
    measures: fc.oneof(
      fc.array(fc.oneof(fc.constantFrom(...measureNames), hostileText()), { maxLength: 4 }),
      hostileValue(),
    ),
    limit: hostileValue(),
    pipeline_id: hostileValue(),
  },
  { requiredKeys: [] },
);

const runsOfEach = Math.ceil(runs / 3);
const patienceMs = 60_000 + runs * 100;

test(
  'R10: hostile queries, ids and headers never give a 5xx',
  async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...getting),
      fc.oneof(hostileText(), fc.uuid(), fc.constant('x')),
      fc.oneof(queryText, brokenQuery),
      hostileHeaders,
      async (operation, id, query, headers) => {
        // With an empty id, or one of dots, this would be another path.
        const usable = /^\.*$/.test(id) ? 'x' : id.slice(0, 1_000);
        await expectHarmless(operation, usable, { query, headers });
      },
    );
    await fc.assert(property, { numRuns: runsOfEach, seed, endOnFailure: false });
  },
  patienceMs,
);

test(
  'R10: hostile searches never give a 5xx',
  async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...searching),
      searchBody,
      hostileHeaders,
      async (operation, body, headers) => expectHarmless(operation, '', { body, headers }),
    );
    await fc.assert(property, { numRuns: runsOfEach, seed, endOnFailure: false });
  },
  patienceMs,
);

test(
  'R10: hostile summaries never give a 5xx',
  async () => {
    const property = fc.asyncProperty(fc.constantFrom(...summarizing), summaryBody, async (operation, body) =>
      expectHarmless(operation, '', { body }),
    );
    await fc.assert(property, { numRuns: runsOfEach, seed, endOnFailure: false });
  },
  patienceMs,
);

test(
  'R10: searches with damaged bytes never give a 5xx',
  async () => {
    const text = JSON.stringify({
      query: 'deal',
      filters: { and: [{ field: 'name', operator: 'contains', value: 'e' }] },
      sort: [{ field: 'name', direction: 'desc' }],
      limit: 5,
    });
    const property = fc.asyncProperty(fc.constantFrom(...searching), damaged(text), async (operation, rawBody) =>
      expectHarmless(operation, '', { rawBody }),
    );
    await fc.assert(property, { numRuns: runsOfEach, seed, endOnFailure: false });
  },
  patienceMs,
);
