import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { allowedOperations, organizationLimits, requestLimits } from './key-options.js';

describe('allowedOperations', () => {
  it('accepts groups and single operations, and drops repeats', () => {
    expect(allowedOperations('list, createNote,list')).toEqual(['list', 'createNote']);
    expect(allowedOperations('bulkUpdateOpportunities', ['list'])).toEqual(['list', 'bulkUpdateOpportunities']);
  });

  it.each(['read', 'inbound'])('accepts every operation of the %s gateway', (gateway) => {
    const file = new URL(`../../../../docs/openapi/${gateway}-gateway.json`, import.meta.url);
    const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const ids = Object.entries(paths)
      .filter(([path]) => path.startsWith('/v1/'))
      .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId));
    expect(ids.length).toBeGreaterThan(20);
    expect(allowedOperations(ids.join(','))).toEqual(ids);
  });

  it.each(['lists', 'createNotice', '', 'list,,search', 'LIST'])('refuses %j, which matches no operation', (text) => {
    expect(() => allowedOperations(text)).toThrow(/neither a group/);
  });
});

describe('requestLimits', () => {
  it('reads requests a minute by group', () => {
    expect(requestLimits('list=5,search=0', { bulk: 1 })).toEqual({ list: 5, search: 0, bulk: 1 });
  });

  it.each(['list', 'list=', 'list=-1', 'list=1.5', 'delete=5', '__proto__=5'])('refuses %j', (text) => {
    expect(() => requestLimits(text)).toThrow(/GROUP=REQUESTS_A_MINUTE/);
  });
});

describe('organizationLimits', () => {
  it('reads requests a minute, and "default" as null', () => {
    expect(organizationLimits('list=5,bulk=default')).toEqual({ list: 5, bulk: null });
  });

  it.each(['list', 'delete=1', 'list=Default', 'list=constructor'])('refuses %j', (text) => {
    expect(() => organizationLimits(text)).toThrow(/GROUP=REQUESTS_A_MINUTE/);
  });
});
