/** Runs the source and the configuration for dlt in docs/integrations with dlt. @needs python3 python3-venv */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPython, readTestStack } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { finish, plurals, requirementsOf, shippedPath, testCopies, useStage } from './connectors/copies.js';
import {
  byId,
  type Copy,
  expectEvents,
  readCustomTypes,
  readEvents,
  readTruth,
  type Row,
} from './connectors/organization.js';
import { startRun } from './connectors/runs.js';

const helper = (file: string): string => fileURLToPath(new URL(`connectors/${file}`, import.meta.url));

const stage = useStage(readTestStack);
let python: string;
beforeAll(async () => {
  python = join(await installPython(requirementsOf('dlt')), 'python');
}, 600_000);

const start = (script: readonly string[], key = stage.subject.key) => {
  const { folder, proxy } = stage;
  // Without DLT_DATA_DIR, dlt keeps its state in /var/dlt for root.
  const settings = { DLT_DATA_DIR: folder, RUNTIME__DLTHUB_TELEMETRY: 'false' };
  const env = { CRM_READ_URL: proxy.url, CRM_API_KEY: key, CRM_PAGE: '20', ...settings };
  return startRun(python, script, { cwd: folder, env });
};

type Tables = Readonly<
  Record<string, { readonly columns: Readonly<Record<string, string>>; readonly rows: readonly Row[] }>
>;
const dump = async (file: string, tables: readonly string[]): Promise<Tables> =>
  JSON.parse((await finish(start([helper('dump_duckdb.py'), file, ...tables]))).stdout) as Tables;
const copyOf = (tables: Tables, types: ReadonlyMap<string, string>): Copy =>
  Object.fromEntries(plurals.map((plural) => [plural, byId(tables[plural]?.rows ?? [], types)])) as unknown as Copy;

describe('the dlt source', () => {
  testCopies(stage, {
    run: (key) => start([shippedPath('dlt/crm.py')], key),
    read: async () => copyOf(await dump('crm_copy.duckdb', plurals), await readCustomTypes(stage.subject, true)),
  });

  test('has typed columns, one for each field', async () => {
    const { columns = {} } = (await dump('crm_copy.duckdb', ['opportunities']))['opportunities'] ?? {};
    expect(columns).toMatchObject({
      ...{ amount: 'DECIMAL(19,4)', close_date: 'TIMESTAMP WITH TIME ZONE', version: 'BIGINT', name: 'VARCHAR' },
      ...{ custom__of_date: 'DATE', custom__of_currency: 'DECIMAL(19,4)', custom__of_number: 'DOUBLE' },
      ...{ custom__of_checkbox: 'BOOLEAN', custom__of_multi_select: 'JSON', _position: 'BIGINT' },
      ...{ custom__of_timestamp: 'TIMESTAMP WITH TIME ZONE', custom__of_string: 'VARCHAR', custom__of_time: 'TIME' },
    });
    expect(Object.keys(columns).filter((name) => name.includes('__v_'))).toEqual([]);
  });
});

test('dlt.json replaces the tables and adds the new events, once each', async () => {
  const run = () => finish(start([helper('run_dlt_json.py'), shippedPath('dlt.json')]));
  await run();
  await stage.change();
  await run();
  const tables = await dump('crm_json.duckdb', [...plurals, 'events']);
  const { subject } = stage;
  expect(copyOf(tables, await readCustomTypes(subject, false))).toEqual(await readTruth(subject, false));
  const rows = tables['events']?.rows ?? [];
  const log = await readEvents(subject);
  expectEvents(Object.fromEntries(rows.map((event) => [String(event['position']), event])), log);
  expect(rows).toHaveLength(Object.keys(log).length);
  expect(tables['opportunities']?.columns['amount']).toBe('DECIMAL(19,4)');
}, 300_000);
