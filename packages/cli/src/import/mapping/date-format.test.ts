import { describe, expect, it } from '@jest/globals';

import { compileDateFormat } from './date-format.js';

const read = (format: string, text: string): string => {
  const reader = compileDateFormat(format);
  if (!reader.ok) return `format: ${reader.message}`;
  const result = reader.value(text);
  return result.ok ? new Date(result.value).toISOString() : result.message;
};

describe('compileDateFormat', () => {
  it.each([
    ['M/d/yyyy', '3/1/2017', '2017-03-01T00:00:00.000Z'],
    ['M/d/yyyy', '12/31/2016', '2016-12-31T00:00:00.000Z'],
    ['M/d/yyyy', ' 03/01/2017 ', '2017-03-01T00:00:00.000Z'],
    ['yyyy-MM-dd', '2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29 23:59:58', '2024-02-29T23:59:58.000Z'],
    ["yyyy-MM-dd'T'HH:mm:ss'Z'", '2024-02-29T01:02:03Z', '2024-02-29T01:02:03.000Z'],
    ['yyyy-MM-ddTHH:mm:ssZ', '2024-02-29T01:02:03Z', '2024-02-29T01:02:03.000Z'],
    ['d.M.yy H.m', '5.4.68 7.5', '2068-04-05T07:05:00.000Z'],
    ['d.M.yy', '5.4.69', '1969-04-05T00:00:00.000Z'],
    ['yyyyMMdd', '20170301', '2017-03-01T00:00:00.000Z'],
    ['yyyy-MM-dd', '0099-01-01', '0099-01-01T00:00:00.000Z'],
    ["d 'de' M 'de' yyyy", '1 de 3 de 2017', '2017-03-01T00:00:00.000Z'],
  ])('reads %s from %s in UTC', (format, text, expected) => {
    expect(read(format, text)).toBe(expected);
  });

  it.each([
    ['M/d/yyyy', '2/30/2017'],
    ['M/d/yyyy', '13/1/2017'],
    ['yyyy-MM-dd', '2023-02-29'],
    ['yyyy-MM-dd HH:mm', '2024-01-01 24:00'],
    ['yyyy-MM-dd HH:mm', '2024-01-01 10:60'],
  ])('with %s refuses %s, which does not exist', (format, text) => {
    expect(read(format, text)).toBe(`"${text}" is not a date that exists`);
  });

  it.each([
    ['M/d/yyyy', '2017-03-01'],
    ['M/d/yyyy', '3/1/17'],
    ['M/d/yyyy', '3/1/2017 10:00'],
    ['MM/dd/yyyy', '3/1/2017'],
    ['d.M.yyyy', '1x3x2017'],
  ])('with %s refuses %s, which has another form', (format, text) => {
    expect(read(format, text)).toBe(`"${text}" is not a date of the form ${format}`);
  });

  it.each([
    ['M/d', 'format: "M/d" has no year'],
    ['yyy-MM-dd', 'format: "yyy" is not a token of date formats; years are yyyy or yy'],
    ['yyyy-MM-dd-dd', 'format: "yyyy-MM-dd-dd" has the day twice'],
    ["yyyy-MM-dd 'at", `format: the quote in "yyyy-MM-dd 'at" is not closed`],
    [
      'D/M/yyyy',
      'format: "D" is not a token of date formats; use y, M, d, H, m, s, and put other letters in single quotes',
    ],
  ])('refuses the format %s', (format, expected) => {
    expect(read(format, '1')).toBe(expected);
  });
});
