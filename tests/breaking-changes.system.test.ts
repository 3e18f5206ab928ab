// Holds what callers rely on against the last release. `npm run release:baseline` stores the present state as the last release.
import { readFileSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { createProgram, exitCodes } from '@crm/cli';
import * as client from '@crm/client';
import { expect, it } from '@jest/globals';
import { Command } from 'commander';
import { breakingChanges, type Json, type Promises, promisesOf, promisesOfCommand } from './support/promises.js';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const stream = new PassThrough();

/** The cells of the rows of a table of the manual. */
const rowsOf = (title: string): string[][] => {
  const [, section = ''] = read('docs/operating.md').split(`\n## ${title}\n`);
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(.*)$/gm)];
  return rows.map(([, row = '']) => row.split('|').map((cell) => cell.trim().replaceAll('`', '')));
};

const documents = ['read', 'inbound'].map((name) => JSON.parse(read(`docs/openapi/${name}-gateway.json`)) as Json);
const promises = documents.map(promisesOf);
/** What callers can rely on now. */
const readCurrent = async (): Promise<Promises> => ({
  version: [String((documents[0]?.['info'] as Json)['version'])],
  ...promises[0],
  ...promises[1],
  ...promisesOfCommand(
    await createProgram({
      ...{ env: {}, stdout: stream, stderr: stream },
      onInterrupt: () => new AbortController().signal,
    }),
  ),
  'exit codes of crm': Object.entries(exitCodes).map(([name, code]) => `+${code} is ${name}`),
  'exports of @crm/client': Object.keys(client)
    .filter((name) => name !== 'default')
    .map((name) => `+has ${name}`),
  'environment variables': rowsOf('Configuration').flatMap(([name, , preset]) => [
    `+has ${name}`,
    preset === 'required' ? `-requires ${name}` : `+has ${preset} as default of ${name}`,
  ]),
  ...Object.fromEntries(
    rowsOf('Metrics').flatMap(([names = '', labels = '']) =>
      names.split(', ').map((name) => [`metric ${name}`, labels.split(', ').map((label) => `+has the label ${label}`)]),
    ),
  ),
});

const file = new URL('release/promises.json', import.meta.url);

it('breaks nothing on which callers of the last release rely', async () => {
  const current = await readCurrent();
  if (process.env['TAKE_BASELINE'] !== undefined) {
    const lines = Object.entries(current).map((entry) => entry.map((each) => JSON.stringify(each)).join(': '));
    writeFileSync(file, `{\n${lines.sort().join(',\n')}\n}\n`);
  }
  expect(breakingChanges(JSON.parse(readFileSync(file, 'utf8')) as Promises, current)).toEqual([]);
});

/** The breaks after one key is changed. @param place - the index of the document and the keys, with spaces between them */
const breaksAfter = (place: string, value: unknown): string[] => {
  const [index = 0, ...keys] = place.split(' ');
  const changed = structuredClone(documents[Number(index)] ?? {});
  const key = keys.pop() ?? '';
  const part = keys.reduce<unknown>((inner, each) => (inner as Json)[each], changed) as Record<string, unknown>;
  if (value === undefined) Reflect.deleteProperty(part, key);
  else part[key] = value;
  return breakingChanges(promises[Number(index)] ?? {}, promisesOf(changed));
};
const [inRead, inInbound] = ['0 components schemas', '1 components schemas'];
const name = `${inInbound} CreateAccountBody properties name`;

it.each<[string, string, unknown]>([
  ['gone: GET /v1/key', '0 paths /v1/key', undefined],
  ['gone: GET /v1/key: is getKey', '0 paths /v1/key get operationId', 'readKey'],
  ['gone: GET /v1/key: answers 401', '0 paths /v1/key get responses 401', undefined],
  ['gone: GET /v1/key: has the header RateLimit', '0 paths /v1/key get responses 200 headers RateLimit', undefined],
  ['new: GET /v1/notes: requires query account_id', '0 paths /v1/notes get parameters 0 required', true],
  ['new: GET /livez: needs a key', '0 paths /livez get security', undefined],
  ['gone: response Account.industry', `${inRead} Account properties industry`, undefined],
  ['gone: response Account: always has domain', `${inRead} Account required`, ['id']],
  ['gone: response Account.id: has the form uuid', `${inRead} Account properties id format`, undefined],
  ['gone: response Webhook.state: may be paused', `${inRead} Webhook properties state enum`, ['active']],
  ['new: response Account.domain: is null', `${inRead} Account properties domain type`, ['string', 'null']],
  ['gone: response AccountPage.limit: maximum 500', `${inRead} AccountPage properties limit maximum`, 501],
  ['gone: request CreateAccountBody.name', name, undefined],
  ['gone: request CreateAccountBody.name: is null', `${name} type`, 'string'],
  ['gone: request WebhookPayload: may be thin', `${inInbound} WebhookPayload enum`, ['full']],
  ['new: request CreateAccountBody.name: maxLength 9', `${name} maxLength`, 9],
  ['new: request CreateAccountBody.name: has the form ^A', `${name} pattern`, '^A'],
  [
    'new: request CreateMember: has the rule {"if":{"required":["name"]}}',
    `${inInbound} CreateMember if`,
    { required: ['name'] },
  ],
  ['new: request CreateMember: requires role', `${inInbound} CreateMember required`, ['email', 'role']],
])('finds %s', (line, place, value) => expect(breaksAfter(place, value)).toContain(line));

it.each<[string, string, unknown]>([
  ['an operation', '0 paths /v1/new', (documents[0]?.['paths'] as Json)['/v1/key']],
  ['a type of events', `${inRead} Event properties type x-extensible-enum 19`, 'task.created'],
  ['a field of responses', `${inRead} Account properties region`, { type: ['string', 'null'] }],
  ['an optional field of requests', `${inInbound} CreateMember properties role`, { type: 'string', maxLength: 9 }],
  ['a higher maximum', `${name} maxLength`, 999],
])('allows %s', (_what, place, value) => expect(breaksAfter(place, value)).toEqual([]));

it('finds lost commands and options, and new ones that are required', () => {
  const command = (text: string) => new Command('crm').addCommand(new Command('key').addCommand(new Command(text)));
  const before = command('list');
  const after = command('show');
  before.commands[0]?.option('--org <id>').option('--all');
  after.commands[0]?.option('--org').requiredOption('--name <name>');
  expect(breakingChanges(promisesOfCommand(before), promisesOfCommand(after))).toEqual([
    ...['gone: crm key --all', 'gone: crm key list', 'new: crm key: requires --name'],
    'gone: crm key --org: takes a value',
  ]);
});
