import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maxSlugLength, parseSlug, slugFromName } from './definition-rules.js';

describe('parseSlug', () => {
  it.each(['a', 'lead_source', 'x2', 'a'.repeat(63)])('accepts %s', (slug) =>
    expect(parseSlug(slug)).toEqual({ ok: true, value: slug }),
  );

  it.each(['', '2x', '_x', 'Lead', 'lead-source', 'a b', 'é', 'a\n', 'a'.repeat(64), '__proto__', 5, null])(
    'refuses %j',
    (slug) => expect(parseSlug(slug).ok).toBe(false),
  );

  it.each(['constructor', 'prototype'])('reserves %s', (slug) =>
    expect(parseSlug(slug)).toEqual({ ok: false, message: `"${slug}" is reserved` }),
  );
});

describe('slugFromName', () => {
  it.each([
    ['Lead source', 'lead_source'],
    ['Größe (cm)', 'grosse_cm'],
    ['  Éléments & Co. ', 'elements_co'],
    ['2nd contact', 'field_2nd_contact'],
    ['Constructor', 'field_constructor'],
    ['__proto__', 'proto'],
  ])('turns %j into the slug %s', (name, slug) => expect(slugFromName(name)).toBe(slug));

  it.each(['年収', '', '日本', '…'])('returns null for %j, which has no Latin letter or digit', (name) =>
    expect(slugFromName(name)).toBeNull(),
  );

  it('cuts a long name', () => expect(slugFromName('x'.repeat(80))).toBe('x'.repeat(maxSlugLength)));

  it('turns every name that gives a slug into a valid one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        const slug = slugFromName(name);
        if (slug !== null) expect(parseSlug(slug)).toEqual({ ok: true, value: slug });
      }),
    );
  });
});
