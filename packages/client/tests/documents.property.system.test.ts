// Requests made from the OpenAPI documents alone, valid and invalid ones, are answered as the documents say. FC_SEED repeats a run.
import { propertyRuns, readTestStack, reportFigure, testSize } from '@crm/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestCrm, type TestCrm } from './support/crm.js';
import { answerFaults, type DocumentAnswer, schemaOf, sendRequest } from './support/document/exchange.js';
import { invalidRequest, type InvalidRequest } from './support/document/invalid-requests.js';
import { type Operation, readOperations } from './support/document/operations.js';
import { unwrittenRules } from './support/document/unwritten-rules.js';
import { type DocumentRequest, KnownValues, validRequests } from './support/document/valid-requests.js';

const rounds = propertyRuns({ short: 8, soak: 500 });
/** The system tests send the same requests in every run; the soak tests draw new ones each time. */
const seed = Number(process.env['FC_SEED'] ?? testSize({ short: 1, soak: Date.now() % 2_147_483_647 }));
const operations = [...readOperations('inbound'), ...readOperations('read')];
/** The share of the operations for which at least one request of a run must succeed; in practice four in five do. */
const doneShare = 0.7;

let crm: TestCrm;
beforeAll(async () => {
  process.stdout.write(`documents: ${rounds} rounds of ${operations.length} operations, FC_SEED=${seed}\n`);
  crm = await startTestCrm(readTestStack());
});
afterAll(() => crm.stop());

/** A random value that depends only on the seed and the place. */
const drawn = <T>(arbitrary: fc.Arbitrary<T>, place: string): T => {
  const own = [...`${seed} ${place}`].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7);
  const [value] = fc.sample(arbitrary, { seed: own, numRuns: 1, unbiased: true });
  return value as T;
};

const known = new KnownValues();
const differences = new Map<string, string>();
const done = new Set<string>();
let requests = 0;

/** Records where an answer differs from the documents, with one request per difference. */
const note = (request: DocumentRequest, difference: string, answer: DocumentAnswer): void => {
  const { operation, ...sent } = request;
  const key = `${operation.id}: ${difference}`;
  const shown = [JSON.stringify(sent), JSON.stringify(answer.body)].map((text) => text.slice(0, 1_000));
  if (!differences.has(key)) differences.set(key, `${key}\n  ${shown.join('\n  ')}`);
};

const send = async (request: DocumentRequest, key: string | null = crm.organization.key): Promise<DocumentAnswer> => {
  const { operation } = request;
  const { readUrl, inboundUrl } = crm.addresses;
  const answer = await sendRequest(operation.gateway === 'read' ? readUrl : inboundUrl, key, request);
  for (const fault of answerFaults(operation, answer)) note(request, fault, answer);
  if (operation.method !== 'DELETE') known.harvest(operation, schemaOf(operation, answer) ?? {}, answer.body);
  requests += 1;
  return answer;
};

const sendValid = async (request: DocumentRequest): Promise<void> => {
  const { operation } = request;
  const answer = await send(request);
  if (answer.status === 200) done.add(operation.id);
  if (answer.status !== 400) return;
  for (const [path, text] of Object.entries((answer.body as { errors: Record<string, string> }).errors)) {
    const names = path.split(/[.[\]]+/).filter((name) => !/^\d*$/.test(name));
    const isUnwritten = unwrittenRules.some(([field]) => field.test(names.at(-1) ?? ''));
    if (!isUnwritten && !names.includes('custom_fields')) note(request, `valid, and 400: ${path} ${text}`, answer);
  }
};

/** Whether a request was refused: as a whole, or its invalid item. */
const isRefused = ({ status, body }: DocumentAnswer, item: number | undefined): boolean => {
  // 404 and 431 count too: an unknown record or too large headers are refused before the invalid part is checked.
  if ([400, 404, 431].includes(status)) return true;
  if (item === undefined || status !== 200) return false;
  const { results } = (body as { data: { results: readonly { success: boolean }[] } }).data;
  return results[item]?.success === false;
};

const sendInvalid = async (request: InvalidRequest): Promise<void> => {
  const answer = await send(request);
  if (!isRefused(answer, request.item)) note(request, `invalid, and ${answer.status}: ${request.fault}`, answer);
};

const sendWithoutKey = async (request: DocumentRequest): Promise<void> => {
  const answer = await send(request, null);
  // Failures are limited by address, and too large headers are refused before the key is read.
  const expected = request.operation.isPublic ? [200] : [401, 429, 431];
  if (!expected.includes(answer.status)) note(request, `without a key, and ${answer.status}`, answer);
};

const runRound = async (operation: Operation, round: number): Promise<void> => {
  const place = `${operation.id} ${round}`;
  const { query, ...other } = drawn(validRequests(operation, known, round % 3 === 2 ? 'wild' : 'plain'), place);
  // Leaves out the seconds to wait for events, to be quick.
  const request = { ...other, query: query.filter(([name]) => name !== 'wait') };
  await sendValid(request);
  const invalid = invalidRequest(request, drawn(fc.nat(), `${place} invalid`));
  if (invalid !== undefined) await sendInvalid(invalid);
  if (round === 0) await sendWithoutKey(request);
};

test(
  'requests generated from the documents get the documented answers',
  async () => {
    for (let round = 0; round < rounds; round += 1) {
      for (const operation of operations) await runRound(operation, round);
    }
    reportFigure('R21', `differences to the documents, in ${requests} requests made from them`, differences.size, 0);
    expect([...differences.values()].join('\n')).toBe('');
    reportFigure('R21', `operations that were carried out, of ${operations.length}`, done.size, 'printed');
    expect(done.size).toBeGreaterThan(doneShare * operations.length);
  },
  60_000 + rounds * 10_000,
);
