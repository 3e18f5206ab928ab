import { CrmApiError } from '@crm/client';
import { describe, expect, it } from '@jest/globals';

import { CliError } from '../../errors.js';
import { readAnswer, readRefusal, readResults } from './send-outcome.js';

const gateway = { name: 'inbound gateway', url: 'http://a', option: '--url', groups: 'inbound' } as const;
const reader = { object: 'account', gateway, rowsNamePipelines: false } as const;

describe('the outcome of a single create', () => {
  const data = { note_id: 'n1', title: 'Call' };
  it.each([
    [undefined, false, 'created'],
    ['created', false, 'created'],
    ['matched', false, 'matched'],
    ['updated', false, 'updated'],
    [undefined, true, 'matched'],
    ['created', true, 'matched'],
    ['updated', true, 'matched'],
  ] as const)('with the status %s, replayed %s: %s', (recordStatus, isReplay, kind) => {
    const warnings = [{ field: 'note.title', message: 'was kept' }];
    const answer = { data, isReplay, recordStatus, warnings, message: '', readAfter: undefined, etag: undefined };
    expect(readAnswer('note', answer as never)).toEqual({
      kind,
      problems: [{ field: 'title', reason: 'was kept' }],
      records: ['n1'],
    });
  });
});

describe('the outcomes of a bulk create', () => {
  it('are those of its items, by the names of the mapping', () => {
    const results = [
      {
        index: 0,
        success: true,
        id: 'a',
        record_status: 'updated',
        warnings: [{ field: 'name', message: 'was kept' }],
      },
      { index: 1, success: true, id: null },
      { index: 2, success: false, id: null, errors: { 'items[0].domain': 'is no domain' } },
      { index: 3, success: false, id: null },
    ];
    expect(readResults(reader, { results } as never, 4)).toEqual([
      { kind: 'updated', problems: [{ field: 'name', reason: 'was kept' }], records: ['a'] },
      { kind: 'created', problems: [], records: [] },
      { kind: 'rejected', problems: [{ field: 'domain', reason: 'is no domain' }] },
      { kind: 'rejected', problems: [{ field: '', reason: 'was refused without a reason' }] },
    ]);
  });

  it.each([[undefined], [{ results: [] }], [{ results: [{}, {}] }]])('%j is not the answer to one item', (data) => {
    expect(() => readResults(reader, data as never, 1)).toThrow(CliError);
  });
});

describe('the outcome of a refused request', () => {
  const refusal = (
    status: number,
    errors: Readonly<Record<string, string>> = {},
    count = 1,
    rowsNamePipelines = false,
  ) =>
    readRefusal(
      { ...reader, rowsNamePipelines },
      new CrmApiError({ status, body: { message: 'No', errors }, requestId: null, retryAfterMs: null }),
      count,
    );

  it.each([
    [399, {}],
    [401, {}],
    [403, {}],
    [404, {}],
    [405, {}],
    [400, { pipeline_id: 'is archived' }],
  ])('%d with the errors %j ends the import, because no row can succeed', (status, errors) => {
    expect(() => refusal(status, errors)).toThrow(CliError);
  });

  it.each([
    [400, { domain: 'is no domain' }, 1, [{ field: 'domain', reason: 'is no domain' }]],
    [400, {}, 1, [{ field: '', reason: expect.stringMatching(/^HTTP 400 No(?!.*--batch 1)/) }]],
    [400, { domain: 'is no domain' }, 2, [{ field: '', reason: expect.stringMatching(/^HTTP 400 No.*--batch 1$/) }]],
    [413, {}, 2, [{ field: '', reason: expect.stringMatching(/^HTTP 413 No.*--batch 1$/) }]],
  ])('%d with the errors %j rejects its %d rows', (status, errors, count, problems) => {
    expect(refusal(status, errors, count)).toEqual({ kind: 'rejected', problems });
  });

  it('rejects one row if rows name their pipelines', () => {
    expect(refusal(400, { pipeline_id: 'is archived' }, 1, true).kind).toBe('rejected');
  });
});
