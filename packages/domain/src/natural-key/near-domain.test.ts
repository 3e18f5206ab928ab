import { describe, expect, it } from '@jest/globals';
import { areNearDomains } from './near-domain.js';

describe('areNearDomains', () => {
  it.each([
    ['acme.com', 'acme.com'],
    ['acme.com', 'acme.de'],
    ['acme.com', 'acme.co.uk'],
    ['eu.acme.com', 'acme.com'],
    ['acme.com', 'shop.acme.de'],
    ['globex.com', 'globx.com'],
    ['xn--mller-kva.de', 'muller.de'],
  ])('finds %s and %s similar', (one, other) => {
    expect(areNearDomains(one, other)).toBe(true);
    expect(areNearDomains(other, one)).toBe(true);
  });

  it.each([
    ['acme.com', 'globex.com'],
    ['ab.com', 'cd.com'],
    ['notacme.com', 'acme.com'],
  ])('does not find %s and %s similar', (one, other) => {
    expect(areNearDomains(one, other)).toBe(false);
    expect(areNearDomains(other, one)).toBe(false);
  });
});
