/** @needs python3 python3-venv */
// Schemathesis makes requests from the documents and runs all its checks. To repeat a run, set its seed: ST_SEED=123.
import { randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPython, isSoak, readTestStack, testSize } from '@crm/testing';
import { beforeAll, expect, test } from '@jest/globals';
import { startTestCrm, type TestCrm } from './support/crm.js';
import { unknownFailures } from './support/fuzzing-refusals.js';
import { type Exchange, readExchanges } from './support/fuzzing-report.js';
import { runProgram } from './support/tools.js';

const documents = fileURLToPath(new URL('../../../docs/openapi/', import.meta.url));
const requirements = fileURLToPath(new URL('tools/documents/requirements.txt', import.meta.url));
/** Guards against hangs only. */
const timeoutMs = 1_800_000;
/** A new seed may find a rule that the list of refusals lacks, so only the long tests draw one. */
const seed = process.env['ST_SEED'] ?? String(testSize({ short: 36, soak: randomInt(1_000_000) }));
const examplesPerOperation = 3;
/** The phase `coverage` sends about 8,000 requests more, so only the long tests have it. */
const phases = process.env['ST_PHASES'] ?? (isSoak ? 'examples,coverage,fuzzing' : 'examples,fuzzing');

/** Statuses that the checks accept. Valid data must not be 400, 413, 415 or 422. */
const configuration = (readAfter: string): string => `[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 428, 429, 431, 503]
positive_data_acceptance.expected-statuses = ["2xx", "3xx", 401, 403, 404, 409, 410, 412, 429, 431, 503]

# Otherwise the program learns rules from the texts of errors, and its requests no longer follow the document alone.
[phases.fuzzing.error-feedback]
enabled = false

# The token is opaque: with an invented one, every valid request would be 400.
[parameters]
"header.X-Read-After" = "${readAfter}"
`;

/** The ids of the documents' examples. The copies that the program reads have ids of the organization instead. */
const exampleIds = {
  pipeline: '0197a3c4-5b1e-7c3a-9f00-2d6f1c0a7b11',
  stage: '0197a3c4-5b20-7f0c-b6a1-6a1f0e9d8c72',
  account: '0197a3c4-6c9a-7d44-9c3b-0b5e8f7a6d13',
  secondAccount: '0197a3c4-6ca4-7e19-b7d2-4c6a8e0f1b37',
  contact: '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4',
  opportunity: '0197a3c4-6d02-7e51-8a10-94b1d7f3c2e0',
  note: '0197a3c4-7a31-7c85-b0d4-1f2e3d4c5b66',
  member: '0197a3c4-5b31-7d20-9a4e-8c7b6a5d4e33',
  field: '0197a3c4-5b42-7e31-8b5f-9d8c7b6a5f44',
  webhook: '0197a3c4-9d51-7f42-8c6a-0e9d8c7b6a55',
} as const;

/** Operations that need not succeed: the record can be gone before, or the call needs a deleted or second one. */
const withoutSuccess = new Set([
  ...['accounts', 'contacts', 'notes', 'opportunities', 'members', 'stages', 'fields', 'webhooks'].flatMap((objects) =>
    ['PATCH', 'DELETE'].map((method) => `${method} /v1/inbound/${objects}/{id}`),
  ),
  ...['accounts', 'contacts'].map((objects) => `POST /v1/inbound/${objects}/{id}/merge`),
  ...['POST', 'PATCH'].map((method) => `${method} /v1/inbound/fields/{id}/options`),
  ...['replay', 'rotate-secret', 'skip', 'test'].map((call) => `POST /v1/inbound/webhooks/{id}/${call}`),
  'POST /v1/inbound/restore',
]);

/** Creates one record of each kind. @returns their ids, and the `X-Read-After` of the last write */
const fill = async ({ organization, addresses }: TestCrm) => {
  let readAfter = '';
  const create = async (path: string, body: object) => {
    const headers = { 'x-api-key': organization.key, 'content-type': 'application/json' };
    const url = `${addresses.inboundUrl}/v1/inbound/${path}`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    readAfter = response.headers.get('x-read-after') ?? readAfter;
    const { data } = (await response.json()) as { data: Record<string, string & Readonly<Record<string, string>>> };
    return data;
  };
  // As in the examples of the documents.
  const [domain, email] = ['acme.com', 'ada@acme.com'];
  const { pipeline, member } = organization;
  const options = [{ label: 'Gold' }];
  const field = { object: 'account', slug: 'grade', current_name: 'Grade', attribute_type: 'select', options };
  const ids: Readonly<Record<keyof typeof exampleIds, string | undefined>> = {
    ...{ pipeline: pipeline.id, stage: pipeline.stages.find(({ label }) => label === 'Won')?.id, member: member.id },
    account: (await create('accounts', { domain }))['company_id'],
    secondAccount: (await create('accounts', { domain: 'second.example' }))['company_id'],
    contact: (await create('contacts', { email }))['people_id'],
    opportunity: (await create('opportunities', { pipeline_id: pipeline.id, opportunity: { name: 'Filled' } }))[
      'opportunity_id'
    ],
    note: (await create('notes', { note: { title: 'Filled' }, account_domains: [domain] }))['note_id'],
    field: (await create('fields', field))['field']?.['field_id'],
    webhook: (await create('webhooks', { url: 'https://hooks.example' }))['webhook']?.['webhook_id'],
  };
  return { ids, readAfter };
};

/** Runs the program on a document, with an organization of its own. */
const fuzz = async (program: string, folder: string, gateway: 'read' | 'inbound') => {
  const crm = await startTestCrm(readTestStack());
  try {
    const limits = { list: 1_000_000, search: 1_000_000, inbound: 1_000_000, bulk: 1_000_000 };
    const { key } = await crm.organization.createKey({ limits });
    const { ids, readAfter } = await fill(crm);
    let document = await readFile(join(documents, `${gateway}-gateway.json`), 'utf8');
    for (const [name, id] of Object.entries(exampleIds))
      document = document.replaceAll(id, ids[name as keyof typeof exampleIds] ?? '');
    const path = (end: string): string => join(folder, `${gateway}${end}`);
    await writeFile(path('.json'), document);
    await writeFile(path('.toml'), configuration(readAfter));
    const args = [
      ...['--config-file', path('.toml'), 'run', path('.json')],
      ...['--url', crm.addresses[`${gateway}Url`], '-H', `x-api-key: ${key}`],
      ...['--checks', 'all', '--seed', seed, '--phases', phases],
      ...['--max-examples', String(examplesPerOperation), '--continue-on-failure', '--no-shrink', '--no-color'],
      // A request of the change log waits up to 30 s for the next event. No clock decides whether a run passes.
      ...['--generation-database', 'none', '--request-timeout', '120', '--max-response-time', '3600'],
      ...['--report-ndjson-path', path('.ndjson'), '--report-json-path', path('-report.json')],
    ];
    const { stdout, stderr } = await runProgram(program, args, { cwd: folder });
    const report = JSON.parse(await readFile(path('-report.json'), 'utf8').catch(() => '{}')) as object;
    return { report, exchanges: await readExchanges(path('.ndjson')), output: `${stdout}${stderr}` };
  } finally {
    await crm.stop();
  }
};

const isSuccess = ({ operation, method, status }: Exchange): boolean =>
  operation.startsWith(`${method} `) && status !== null && status >= 200 && status < 300;

let runs: Readonly<Record<'read' | 'inbound', Awaited<ReturnType<typeof fuzz>>>>;
beforeAll(async () => {
  process.stdout.write(`Schemathesis: ST_SEED=${seed}\n`);
  const program = join(await installPython(requirements), 'st');
  const folder = await mkdtemp(join(tmpdir(), 'crm-fuzzing-'));
  try {
    const [read, inbound] = await Promise.all([fuzz(program, folder, 'read'), fuzz(program, folder, 'inbound')]);
    runs = { read, inbound };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, timeoutMs);

test.each(['read', 'inbound'] as const)('the %s gateway answers as its document says', (gateway) => {
  const { report, exchanges, output } = runs[gateway];
  expect({ report, output }).toMatchObject({ report: { seed: Number(seed), complete: true, errors: [] } });
  const operations = [...new Set(exchanges.map(({ operation }) => operation))];
  const succeeded = new Set(exchanges.filter(isSuccess).map(({ operation }) => operation));
  const serverErrors = exchanges.filter(({ status }) => status !== null && status >= 500);
  const counts = [`${exchanges.length} requests to ${operations.length} operations, ${succeeded.size} succeeded`];
  process.stdout.write(`${gateway} gateway: ${counts.join()}, ${serverErrors.length} × 503\n`);
  expect(exchanges.flatMap(unknownFailures)).toEqual([]);
  // Beside enough load, a statement reaches its limit: 503 with Retry-After.
  const isLoad = ({ status, answerHeaders }: Exchange) => status === 503 && answerHeaders['retry-after'] !== undefined;
  expect(serverErrors.filter((each) => !isLoad(each))).toEqual([]);
  expect(exchanges.filter(({ status }) => status === null)).toEqual([]);
  const { operations: described } = report as { operations: { total: number } };
  expect(operations).toHaveLength(described.total);
  // With an empty key, every answer would be a 401, which fits the document.
  expect(operations.filter((operation) => !succeeded.has(operation) && !withoutSuccess.has(operation))).toEqual([]);
});
