// Sends the requests of the configurations in docs/integrations, and follows the paths that they name.
import { readFileSync } from 'node:fs';
import { guardWalk, readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { startTestCrm, type TestCrm } from './support/crm.js';

const textOf = (file: string): string =>
  readFileSync(new URL(`../../../docs/integrations/${file}`, import.meta.url), 'utf8');

interface Stream {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly recordsPath: string;
  readonly tokenPath: string;
  readonly tokenParameter: string;
}

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
const textAt = (value: unknown, path: string): string => String(at(value, path));
const textsAt = (value: unknown, path: string): Record<string, string> =>
  Object.fromEntries(Object.entries(at(value, path) as object).map(([name, each]) => [name, String(each)]));

const dltStreams = (): Stream[] =>
  (at(JSON.parse(textOf('dlt.json')), 'resources') as unknown[]).map((resource) => ({
    path: `/${textAt(resource, 'endpoint.path')}`,
    parameters: textsAt(resource, 'endpoint.params'),
    recordsPath: textAt(resource, 'endpoint.data_selector'),
    tokenPath: textAt(resource, 'endpoint.paginator.cursor_path'),
    tokenParameter: textAt(resource, 'endpoint.paginator.cursor_param'),
  }));

const singerStreams = (): Stream[] => {
  const config = at(parse(textOf('meltano.yml')), 'plugins.extractors.0.config');
  return (at(config, 'streams') as unknown[]).map((stream) => ({
    path: textAt(stream, 'path'),
    parameters: textsAt(stream, 'params'),
    recordsPath: textAt(stream, 'records_path').replace(/^\$\.|\[\*\]$/g, ''),
    tokenPath: textAt(config, 'next_page_token_path').replace('$.', ''),
    tokenParameter: textAt(config, 'pagination_next_page_param'),
  }));
};

const airbyteStream = (): Stream => {
  const retriever = at(parse(textOf('airbyte.yaml')), '0.retriever');
  const token = textAt(retriever, 'paginator.pagination_strategy.cursor_value');
  return {
    path: textAt(retriever, 'requester.path'),
    parameters: textsAt(retriever, 'requester.request_parameters'),
    recordsPath: (at(retriever, 'record_selector.extractor.field_path') as string[]).join('.'),
    tokenPath: /^\{\{ response\.(\S+) \}\}$/.exec(token)?.[1] ?? '',
    tokenParameter: textAt(retriever, 'paginator.page_token_option.field_name'),
  };
};

let crm: TestCrm;
beforeAll(async () => {
  crm = await startTestCrm(readTestStack());
  await crm.client.contacts.bulkCreate([1, 2, 3].map((n) => ({ email: `ann@sync${n}.example` })));
});
afterAll(() => crm.stop());

const get = async (path: string, parameters: Readonly<Record<string, string>>): Promise<unknown> => {
  const url = `${crm.addresses.readUrl}${path}?${new URLSearchParams(parameters).toString()}`;
  const answer = await fetch(url, { headers: { 'x-api-key': crm.organization.key } });
  expect([url, answer.status]).toEqual([url, 200]);
  return answer.json();
};

/** Reads a stream to its end in pages of two, like the tool. */
const readAll = async (stream: Stream): Promise<unknown[]> => {
  const all: unknown[] = [];
  let parameters: Record<string, string> = { ...stream.parameters };
  // The page size in the configuration is valid; a smaller one gives several pages.
  await get(stream.path, parameters);
  parameters = { ...parameters, limit: '2' };
  const guarded = guardWalk();
  for (;;) {
    const body = await get(stream.path, parameters);
    const records = at(body, stream.recordsPath);
    expect(Array.isArray(records)).toBe(true);
    all.push(...(records as unknown[]));
    const token = at(body, stream.tokenPath);
    if (at(body, 'data.has_more') !== true) return all;
    guarded(token);
    expect(['string', 'number']).toContain(typeof token);
    parameters = { ...parameters, [stream.tokenParameter]: String(token) };
  }
};

const streams: [string, Stream][] = [
  ...dltStreams().map((stream): [string, Stream] => [`dlt ${stream.path}`, stream]),
  ...singerStreams().map((stream): [string, Stream] => [`Singer ${stream.path}`, stream]),
  ['Airbyte /v1/events', airbyteStream()],
];

describe('the requests of docs/integrations', () => {
  test('are found in the files', () => {
    expect(streams.map(([name]) => name)).toEqual([
      ...['dlt /v1/accounts', 'dlt /v1/contacts', 'dlt /v1/events', 'Singer /v1/accounts', 'Singer /v1/contacts'],
      'Airbyte /v1/events',
    ]);
    for (const [name, { parameters }] of streams) expect([name, parameters['limit']]).toEqual([name, '500']);
  });

  test.each(streams)('read all records: %s', async (_name, stream) => {
    // Three contacts and their accounts: six events.
    expect(await readAll(stream)).toHaveLength(stream.path === '/v1/events' ? 6 : 3);
  });

  test('continue at the stored position: n8n', async () => {
    const node = JSON.parse(textOf('n8n.json')) as {
      url: string;
      queryParameters: { parameters: { name: string; value: string }[] };
    };
    const { data } = (await get('/v1/events/latest', {})) as { data: { position: number } };
    const { parameters } = node.queryParameters;
    const known = Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
    const query = { ...known, after: String(data.position), type: 'account.created' };
    await crm.client.accounts.create({ domain: 'later.example' });
    const body = await get(node.url.replace('READ', ''), query);
    expect(at(body, 'data.events')).toMatchObject([{ type: 'account.created', record: { domain: 'later.example' } }]);
    expect(at(body, 'data.next_position')).toBe(data.position + 1);
  });
});
