import { describe, expect, it } from '@jest/globals';
import { generateApiKey, hashApiKey, parseApiKey } from './api-key.js';

describe('API keys', () => {
  it('are generated in the documented form and all differ', () => {
    const keys = Array.from({ length: 200 }, generateApiKey);
    for (const key of keys) expect(key).toMatch(/^crm_live_[0-9A-Za-z]{36}$/);
    expect(new Set(keys).size).toBe(200);
  });

  it('are accepted if they were generated here', () => {
    for (let i = 0; i < 200; i++) {
      const key = generateApiKey();
      expect(parseApiKey(key)).toBe(key);
    }
  });

  it('are refused if any one character differs', () => {
    const key = generateApiKey();
    for (let i = 0; i < key.length; i++) {
      const other = key[i] === 'a' ? 'b' : 'a';
      expect(parseApiKey(key.slice(0, i) + other + key.slice(i + 1))).toBeNull();
    }
  });

  it('are refused with anything before, after or missing', () => {
    const key = generateApiKey();
    const others = [
      '',
      ' ',
      `${key} `,
      ` ${key}`,
      `${key}\n`,
      `${key}, ${key}`,
      key.slice(1),
      key.slice(0, -1),
      `${key}0`,
    ];
    for (const text of others) expect(parseApiKey(text)).toBeNull();
  });

  it('have a checksum that stays the same across releases', () => {
    expect(parseApiKey(`crm_live_${'0'.repeat(30)}0tFBc1`)).not.toBeNull();
  });

  it('are hashed with SHA-256', () => {
    expect(hashApiKey('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
