// Sends the requests of the configurations in docs/integrations, and follows the paths that they name.
import { readFileSync } from 'node:fs';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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

interface DltResource {
  readonly endpoint: {
    readonly path: string;
    readonly params: Readonly<Record<string, string | number>>;
    readonly data_selector: string;
    readonly paginator: { readonly cursor_path: string; readonly cursor_param: string };
  };
}

const dltStreams = (): Stream[] => {
  const { resources } = JSON.parse(textOf('dlt.json')) as { resources: readonly DltResource[] };
  return resources.map(({ endpoint }) => ({
    path: `/${endpoint.path}`,
    parameters: Object.fromEntries(Object.entries(endpoint.params).map(([name, value]) => [name, String(value)])),
    recordsPath: endpoint.data_selector,
    tokenPath: endpoint.paginator.cursor_path,
    tokenParameter: endpoint.paginator.cursor_param,
  }));
};

/** The value of a key in a YAML block. Each block has the keys once, or once per stream. */
const valuesOf = (yaml: string, key: string): string[] =>
  [...yaml.matchAll(new RegExp(`\\b${key}: (.+)$`, 'gm'))].map(([, value = '']) => value);

/** `{ limit: 500, fields: 'name,version' }` → `{ limit: '500', fields: 'name,version' }` */
const flowMapping = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/(\w+): (?:'([^']*)'|([^,} ]+))/g)].map(([, key = '', quoted, plain]) => [
      key,
      quoted ?? plain ?? '',
    ]),
  );

const singerStreams = (): Stream[] => {
  const yaml = textOf('meltano.yml');
  const [tokenPath = ''] = valuesOf(yaml, 'next_page_token_path');
  const [tokenParameter = ''] = valuesOf(yaml, 'pagination_next_page_param');
  const records = valuesOf(yaml, 'records_path');
  const parameters = valuesOf(yaml, 'params').map(flowMapping);
  return valuesOf(yaml, 'path').map((path, n) => ({
    path,
    parameters: parameters[n] ?? {},
    recordsPath: (records[n] ?? '').replace(/^\$\.|\[\*\]$/g, ''),
    tokenPath: tokenPath.replace('$.', ''),
    tokenParameter,
  }));
};

const airbyteStream = (): Stream => {
  const yaml = textOf('airbyte.yaml');
  return {
    path: valuesOf(yaml, 'path')[0] ?? '',
    parameters: { limit: /limit: '(\d+)'/.exec(yaml)?.[1] ?? '' },
    recordsPath: (/field_path: \[(.+?)\]/.exec(yaml)?.[1] ?? '').replace(', ', '.'),
    tokenPath: /response\.(\S+) \}\}'\n\s+stop_condition/.exec(yaml)?.[1] ?? '',
    tokenParameter: /request_parameter, field_name: (\w+)/.exec(yaml)?.[1] ?? '',
  };
};

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);

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
  for (;;) {
    const body = await get(stream.path, parameters);
    const records = at(body, stream.recordsPath);
    expect(Array.isArray(records)).toBe(true);
    all.push(...(records as unknown[]));
    const token = at(body, stream.tokenPath);
    if (at(body, 'data.has_more') !== true) return all;
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
