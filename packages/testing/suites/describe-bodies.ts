import { describe, expect, test } from '@jest/globals';

import { markRun, withEachText } from '@crm/testing';
import type { SuiteOptions } from './suite-options.js';

const maxBytes = 256 * 1024;

const describeUnreadableBodies = ({ contract, client, goodRequest }: SuiteOptions): void => {
  const sendRaw = (rawBody: string | Uint8Array<ArrayBuffer>) => client().call(contract, { rawBody });
  const goodBody = () => goodRequest().body as Record<string, unknown>;
  const goodText = () => JSON.stringify(goodBody());

  describe('400 for an unreadable body', () => {
    test.each([
      ['nothing', ''],
      ['broken JSON', '{"a":'],
      ['text after the JSON', '{} {}'],
      ['a trailing comma', '{"a":1,}'],
      ['a list', '[]'],
      ['null', 'null'],
      ['a text', '"x"'],
      ['not a number', '{"a":NaN}'],
      ['33 levels', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`],
      ['forty thousand levels', `${'['.repeat(40_000)}${']'.repeat(40_000)}`],
    ])('refuses %s', async (_about, text) => {
      const answer = await sendRaw(text);
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toContain('body');
    });

    test('refuses bytes that are not UTF-8', async () => {
      const answer = await sendRaw(Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]));
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual(['body']);
    });

    test('refuses a key that is given twice', async () => {
      const name = Object.keys(goodBody())[0] ?? '';
      const answer = await sendRaw(`${goodText().slice(0, -1)},"${name}":null}`);
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual([name]);
    });

    test.each(['__proto__', 'constructor', 'unknown', 'x-api-key'])('names an unknown key: %s', async (name) => {
      const answer = await sendRaw(`${goodText().slice(0, -1)},"${name}":{"a":1}}`);
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual([name]);
    });

    test.each([31, 120_000])('refuses %i combining marks in a row in any of its texts', async (count) => {
      for (const body of withEachText(goodBody(), markRun(count))) {
        expect((await client().call(contract, { body })).status).toBe(400);
      }
    });

    test('names an unknown query parameter', async () => {
      const answer = await client().call(contract, { ...goodRequest(), query: 'dry_run=1' });
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual(['dry_run']);
    });
  });
};

const describeRefusedBodies = ({ client, contract, goodRequest }: SuiteOptions): void => {
  const goodText = () => JSON.stringify(goodRequest().body);
  const sendRaw = (rawBody: string, headers: Record<string, string> = {}) =>
    client().call(contract, { rawBody, headers });

  describe('413', () => {
    test('refuses a body of more than 256 KB and reads one of exactly 256 KB', async () => {
      const pad = (bytes: number) => goodText() + ' '.repeat(bytes - Buffer.byteLength(goodText()));
      expect((await sendRaw(pad(maxBytes + 1))).status).toBe(413);
      expect((await sendRaw(pad(maxBytes))).status).toBe(200);
    });
  });

  describe('415', () => {
    test.each([
      ['no content type', ''],
      ['a form', 'application/x-www-form-urlencoded'],
      ['plain text', 'text/plain'],
      ['another kind of JSON', 'application/problem+json'],
      ['another character set', 'application/json; charset=iso-8859-1'],
    ])('refuses %s', async (_about, type) => {
      expect((await sendRaw(goodText(), { 'content-type': type })).status).toBe(415);
    });

    test('refuses a compressed body', async () => {
      expect((await sendRaw(goodText(), { 'content-encoding': 'gzip' })).status).toBe(415);
    });

    test.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset="UTF-8"'])(
      'accepts %s',
      async (type) => {
        expect((await sendRaw(goodText(), { 'content-type': type })).status).toBe(200);
      },
    );
  });
};

/** 400, 413 and 415 for every operation with a body: faults of the JSON itself. */
export const describeBodies = (options: SuiteOptions): void => {
  describeUnreadableBodies(options);
  describeRefusedBodies(options);
};
