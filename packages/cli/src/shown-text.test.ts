import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { textTable } from './administration/text-table.js';
import { jsonLine, logLine } from './cli-context.js';
import { eventTexts } from './events/event-texts.js';
import { escapeFormula, unescapeFormula } from './spreadsheet-escape.js';
import { ImportTally } from './import/reporting/report.js';
import { importProgress, timeLeft } from './progress.js';

describe('the escape of formulas', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30 123', "'+49 30 123"],
    ['-5', "'-5"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1+1', "'＝1+1"],
    ['\t=1', "'\t=1"],
    ["''@x", "'''@x"],
    ["'tis", "'tis"],
    ['1+1', '1+1'],
    ['', ''],
  ])('makes %j %j, and back', (text, escaped) => {
    expect(escapeFormula(text)).toBe(escaped);
    expect(unescapeFormula(escaped)).toBe(text);
  });
});

describe('texts that could forge rows or control the terminal', () => {
  it('stay in their cell of a table', () => {
    const text = textTable(['name', 'id'], [['Acme\nGlobex  7', 'a\tb\u2028c']], 'none');
    expect(text).toBe('name            id\nAcme\uFFFDGlobex  7  a\uFFFDb\uFFFDc');
  });

  it('are escaped in JSON', () => {
    const text = jsonLine({ name: 'a\u009b1mb\u202ec\u007f' });
    expect(text).toBe(String.raw`{"name":"a\u009b1mb\u202ec\u007f"}`);
    expect(JSON.parse(text)).toEqual({ name: 'a\u009b1mb\u202ec\u007f' });
  });
});

describe('a line of a log', () => {
  it('has no control characters and is one line', () => {
    const shown = String.raw`a\u001b[31mb\nc\u009b\u202e\u2028\ud800 é😀`;
    expect(logLine('a\u001b[31mb\nc\u009b\u202e\u2028\ud800 é😀')).toBe(shown);
  });
});

describe('the texts of events in an answer', () => {
  it.each([[[]], [['{"id": 1}']], [['{"id": 1, "a": [1, {"b": "],}\\\\\\""}]}', '{"changed": [], "c": {}}', '{ }']]])(
    'are those that arrived: %j',
    (texts) => {
      const rest = '"next_position":3,"oldest_position":[1]';
      expect(eventTexts(`{"success":true,"data":{"events":[${texts.join(',')}],${rest}},"warnings":[]}`)).toEqual(
        texts,
      );
    },
  );
});

describe('timeLeft', () => {
  it.each([
    [0.5, 60, 'about 60 s left'],
    [0.25, 60, 'about 3 min left'],
    [0.01, 120, 'about 3.3 h left'],
    [0.999, 10, 'about 1 s left'],
    [0, 10, ''],
    [1, 10, ''],
    [0.5, 0.2, ''],
  ])('after %d of the work in %d s returns %j', (fraction, seconds, text) => {
    expect(timeLeft(fraction, seconds)).toBe(text);
  });
});

describe('the progress of an import', () => {
  it('never goes back and ends at 100 %, unless the import was too short for a line', () => {
    const shown = (intervalMs?: number): string[] => {
      const stream = new PassThrough();
      const progress = importProgress(stream, 100, intervalMs);
      for (const bytes of [60, 40, 80, Infinity]) progress(bytes, new ImportTally());
      return String(stream.read() ?? '').match(/\d+ %/g) ?? [];
    };
    expect(shown(0)).toEqual(['60 %', '60 %', '80 %', '100 %']);
    expect(shown()).toEqual([]);
  });

  it('is one line on a terminal', () => {
    const stream = Object.assign(new PassThrough(), { isTTY: true });
    const progress = importProgress(stream, 100, 0);
    for (const bytes of [60, Infinity]) progress(bytes, new ImportTally());
    // A line begins with a carriage return and ends with the code that clears the rest.
    expect(String(stream.read())).toMatch(/^\r60 %[^\n]*\u001b\[K\r100 %[^\n]*\u001b\[K\n$/);
  });
});
