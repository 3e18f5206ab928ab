import { expect, test } from '@jest/globals';
import { toUrl } from './to-url.js';

test('a host with Latin-1 letters is a URL also after thousands of others', () => {
  for (let number = 0; number < 20_000; number += 1) toUrl(`https://host${number}.example/path`);
  const hosts = Array.from({ length: 40 }, () => toUrl('https://müller.example/')?.hostname);
  expect(new Set(hosts)).toEqual(new Set(['xn--mller-kva.example']));
});
