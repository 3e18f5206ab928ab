/** Runs docs/integrations/airbyte.yaml with Airbyte's CDK. @needs python3 python3-venv */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installPython, readTestStack } from '@crm/testing';
import { beforeAll, expect, test } from '@jest/globals';
import { requirementsOf, shippedPath, useStage } from './connectors/copies.js';
import { byId, expectEvents, readCustomTypes, readEvents, readTruth, type Row } from './connectors/organization.js';
import { type Run, startRun } from './connectors/runs.js';

const lists = ['accounts', 'contacts', 'opportunities', 'notes'] as const;
const streams = ['pipelines', ...lists, 'events'];

const stage = useStage(readTestStack);
let bin: string;
/** The state messages of the last sync that ended well. */
let state: unknown[] = [];
let events: Record<string, Row> = {};
beforeAll(async () => {
  bin = await installPython(requirementsOf('airbyte'));
}, 600_000);

interface Message {
  readonly type: string;
  readonly record?: { readonly stream: string; readonly data: Row };
  readonly state?: unknown;
}

const catalog = {
  streams: streams.map((name) => {
    const [mode, destination] = name === 'events' ? ['incremental', 'append_dedup'] : ['full_refresh', 'overwrite'];
    return {
      stream: { name, json_schema: {}, supported_sync_modes: ['full_refresh', 'incremental'] },
      sync_mode: mode,
      destination_sync_mode: destination,
      ...(name === 'events' ? { cursor_field: ['position'] } : {}),
    };
  }),
};

const start = async (more: object = {}) => {
  const { folder, proxy, subject } = stage;
  const write = (file: string, value: unknown) => writeFile(join(folder, file), JSON.stringify(value));
  const config = { read_url: proxy.url, api_key: subject.key, page_size: 20, ...more };
  await Promise.all([write('config.json', config), write('catalog.json', catalog), write('state.json', state)]);
  const files = { config: 'config.json', catalog: 'catalog.json', state: 'state.json' };
  const options = Object.entries({ 'manifest-path': shippedPath('airbyte.yaml'), ...files });
  const args = ['read', ...options.flatMap(([name, file]) => [`--${name}`, file])];
  return startRun(join(bin, 'source-declarative-manifest'), args, { cwd: folder });
};

/** What a destination does: replaces the tables of the lists, and keeps one row for each event. */
const take = ({ stdout }: Run): Record<string, Row[]> => {
  const rows: Record<string, Row[]> = Object.fromEntries(streams.map((name) => [name, []]));
  const states: unknown[] = [];
  for (const line of stdout.split('\n').filter((text) => text.startsWith('{'))) {
    const { type, record, state: found } = JSON.parse(line) as Message;
    if (type === 'STATE') states.push(found);
    if (type !== 'RECORD' || record === undefined) continue;
    if (record.stream === 'events') events[String(record.data['position'])] = record.data;
    else rows[record.stream]?.push(record.data);
  }
  const ofEvents = states.filter((one) => JSON.stringify(one).includes('"events"'));
  if (ofEvents.length > 0) state = ofEvents.slice(-1);
  return rows;
};

const sync = async (more: object = {}): Promise<void> => {
  const run = await (await start(more)).ended;
  if (run.code !== 0) throw new Error(`The sync failed: ${run.stdout.slice(-4_000)}${run.stderr.slice(-2_000)}`);
  const rows = take(run);
  const { subject } = stage;
  const [types, truth] = [await readCustomTypes(subject, false), await readTruth(subject, false)];
  for (const name of lists) expect([name, byId(rows[name] ?? [], types)]).toEqual([name, truth[name]]);
  expect(rows['pipelines']).toEqual((await subject.client.pipelines.list().page()).data.pipelines);
  expectEvents(events, await readEvents(subject));
};

test('is equal after the first sync, and after one that was killed while records changed', async () => {
  await sync();
  let kill = (): Promise<void> => Promise.resolve();
  stage.proxy.reset({ 3: stage.change, 6: () => kill() });
  const running = await start();
  kill = () => running.kill();
  expect((await running.ended).code).not.toBe(0);
  await sync();
}, 300_000);

test('asks once for events if nothing is new', async () => {
  stage.proxy.reset();
  await sync();
  const asked = stage.proxy.requests.filter((path) => path.startsWith('/v1/events'));
  expect(asked).toHaveLength(1);
}, 300_000);

test.each(['expired', 'other_log'] as const)(
  'stops if the log is %s, and is equal after a reset',
  async (fault) => {
    const { subject, proxy, change } = stage;
    await change();
    const { log_id: logId, position } = (await subject.client.events.latest()).data;
    proxy.setFault(fault, position + 1);
    try {
      const { code, stdout } = await (await start({ log_id: logId })).ended;
      expect([code, stdout.includes('Reset the connection')]).toEqual([1, true]);
    } finally {
      proxy.setFault('none');
    }
    [state, events] = [[], {}];
    await sync({ log_id: logId });
  },
  300_000,
);

test('waits as long as a key with a small limit says', async () => {
  const { subject, proxy, change } = stage;
  await change();
  const { key } = await subject.crm.organization.createKey({ allow: ['list'], limits: { list: 12 } });
  proxy.reset();
  await sync({ api_key: key });
  expect(proxy.refused()).toBeGreaterThan(0);
}, 300_000);
