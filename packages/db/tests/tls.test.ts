import { readTestStack, startTlsProxy, type TlsProxy } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connectionAdvice, type Database, openDatabase } from '../src/index.js';

const organizationId = '00000000-0000-4000-8000-000000000001';

let proxy: TlsProxy;
const opened: Database[] = [];

beforeAll(async () => {
  proxy = await startTlsProxy(readTestStack().databaseUrl);
});
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await proxy.stop();
});

const open = (settings: Readonly<Record<string, string>>): Database => {
  const url = new URL(proxy.url);
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, value);
  const database = openDatabase({ url: url.href, applicationName: 'tls-test', maxConnections: 1 });
  opened.push(database);
  return database;
};

describe('a database that requires TLS', () => {
  test.each(['no-verify', 'verify-full'])('returns short and long records with sslmode=%s', async (sslmode) => {
    const before = proxy.secured();
    const database = open({ sslmode, sslrootcert: proxy.certificateFile });
    for (const [count, width] of [
      [3, 1],
      [1_000, 400],
      [1, 300_000],
      [2, 1],
    ] as const) {
      const rows = await database.query<{ readonly record_bytes: Buffer }>(organizationId, {
        text: `SELECT n || repeat('ü', ${width}) AS record_bytes FROM generate_series(1, ${count}) n WHERE $1::uuid IS NOT NULL`,
        values: [],
      });
      const expected = Array.from({ length: count }, (_, index) => `${index + 1}${'ü'.repeat(width)}`).join();
      expect(rows.map((row) => row.record_bytes).join() === expected).toBe(true);
    }
    expect(proxy.secured()).toBe(before + 1);
  });

  test.each(['verify-full', 'require'])(
    'is not trusted if its certificate is of an unknown authority, with advice and no other output, with sslmode=%s',
    async (sslmode) => {
      const warnings: Error[] = [];
      const note = (warning: Error): number => warnings.push(warning);
      process.on('warning', note);
      const refused = await open({ sslmode })
        .ping()
        .catch((error: unknown) => error);
      process.off('warning', note);
      expect(refused).toMatchObject({
        reason: { kind: 'unavailable' },
        cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
      });
      expect(connectionAdvice(refused)).toMatch(/sslmode=require checks it as verify-full does. Add sslrootcert=FILE/);
      expect(warnings).toEqual([]);
    },
  );
});
