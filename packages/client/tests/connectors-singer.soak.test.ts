/** Runs the Singer tap and the Meltano project in docs/integrations. @needs python3 python3-venv */
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { installPython, readTestStack, testToolsFolder } from '@crm/testing';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  expectEqual,
  finish,
  plurals,
  requirementsOf,
  shippedPath,
  testCopies,
  useStage,
} from './connectors/copies.js';
import { byId, type Copy, type Plural, readCustomTypes, type Row } from './connectors/organization.js';
import { type Running, startRun } from './connectors/runs.js';
import { runProgram } from './support/tools.js';

const stage = useStage(readTestStack);
let bin: string;
let copy: Readonly<Record<Plural, Map<string, Row>>>;
let state: string;
const clear = (): void => {
  state = '{}';
  copy = { accounts: new Map(), contacts: new Map(), opportunities: new Map(), notes: new Map() };
};
beforeAll(async () => {
  bin = await installPython(requirementsOf('singer'));
  clear();
}, 600_000);

/** What a target with `hard_delete` does with a record. */
const store = (stream: Plural, record: Row): void => {
  const id = String(record['id']);
  if (record['_sdc_deleted_at'] === null || record['_sdc_deleted_at'] === undefined) copy[stream].set(id, record);
  else copy[stream].delete(id);
};
interface Message {
  readonly type: string;
  readonly stream: Plural;
  readonly record: Row;
  readonly value: unknown;
}
/** Takes the messages of a tap, and keeps the last state. */
const take = (stdout: string): void => {
  // A killed tap may end in the middle of a line.
  for (const line of stdout
    .slice(0, stdout.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((text) => text.startsWith('{'))) {
    const { type, stream, record, value } = JSON.parse(line) as Message;
    if (type === 'STATE') state = JSON.stringify(value);
    if (type === 'RECORD') store(stream, record);
  }
};
const readCopy = async (): Promise<Copy> => {
  const types = await readCustomTypes(stage.subject, true);
  const rows = plurals.map((plural) => [plural, byId([...copy[plural].values()], types)]);
  return Object.fromEntries(rows) as Copy;
};

const startTap = async (key: string, ...more: readonly string[]): Promise<Running> => {
  const { folder, proxy } = stage;
  await writeFile(join(folder, 'tap.json'), JSON.stringify({ read_url: proxy.url, api_key: key, page_size: 20 }));
  await writeFile(join(folder, 'state.json'), state);
  const args = [shippedPath('singer/tap_crm.py'), '--config', 'tap.json', ...more];
  return startRun(join(bin, 'python'), args, { cwd: folder });
};
const run = (key = stage.subject.key): Running => {
  const started = startTap(key, '--state', 'state.json');
  const ended = started.then(async (running) => {
    const result = await running.ended;
    take(result.stdout);
    return result;
  });
  return { ended, kill: async () => (await started).kill() };
};

describe('the Singer tap', () => {
  testCopies(stage, {
    run,
    read: readCopy,
    startOver: async () => {
      clear();
      await finish(run());
    },
  });

  test('discovers typed columns', async () => {
    const { stdout } = await finish(await startTap(stage.subject.key, '--discover'));
    const { streams } = JSON.parse(stdout) as {
      streams: { stream: string; schema: { properties: Record<string, object> } }[];
    };
    expect(streams.map(({ stream }) => stream).toSorted()).toEqual([...plurals].toSorted());
    expect(streams.find(({ stream }) => stream === 'opportunities')?.schema.properties).toMatchObject({
      close_date: { type: ['string', 'null'], format: 'date-time' },
      custom__of_date: { format: 'date' },
      custom__of_number: { type: ['number', 'null'] },
    });
  }, 300_000);
});

describe('the Meltano project', () => {
  beforeEach(clear);

  test('installs the tap, and gives a target every change', async () => {
    const { proxy, subject, change } = stage;
    const cwd = join(stage.folder, 'meltano');
    await cp(shippedPath('singer'), cwd, { recursive: true });
    const meltano = async (...args: readonly string[]) => {
      const env = {
        PATH: [bin, process.env['PATH']].join(delimiter),
        UV_CACHE_DIR: join(testToolsFolder, 'uv'),
        ...{ TAP_CRM_READ_URL: proxy.url, TAP_CRM_API_KEY: subject.key, TAP_CRM_PAGE_SIZE: '20' },
      };
      const { code, stdout, stderr } = await runProgram(join(bin, 'meltano'), args, { cwd, env });
      expect([code, code === 0 ? '' : `${stdout}${stderr}`]).toEqual([0, '']);
    };
    await meltano('install');
    await meltano('run', 'tap-crm', 'target-jsonl');
    await change();
    await meltano('run', 'tap-crm', 'target-jsonl');
    for (const name of await readdir(join(cwd, 'output'))) {
      const [stream] = name.split(/[.-]/) as [Plural];
      const lines = (await readFile(join(cwd, 'output', name), 'utf8')).trimEnd().split('\n');
      for (const line of lines) store(stream, JSON.parse(line) as Row);
    }
    await expectEqual(stage, readCopy);
  }, 600_000);
});
