import { describe, expect, it } from '@jest/globals';
import { nearestName } from './nearest-name.js';

describe('nearestName', () => {
  it.each([
    ['frist_name', 'first_name'],
    ['firstname', 'first_name'],
    ['emial', 'email'],
    ['q', undefined],
    ['idx', undefined],
    ['something_else', undefined],
    ['x'.repeat(100_000), undefined],
  ])('for %.20s is %s', (name, expected) => {
    expect(nearestName(name, ['id', 'email', 'first_name', 'last_name'])).toBe(expected);
  });

  it('is the closest one', () => {
    expect(nearestName('next_stepp', ['next_steps', 'next_step'])).toBe('next_steps');
    expect(nearestName('next_ste', ['next_steps', 'next_step'])).toBe('next_step');
  });
});
