import { expect, it } from '@jest/globals';

import { accountDomainOf, KeyOrder, naturalKeyOf, orderKeys } from './row-order.js';

const deal = (related: object) => ({ pipeline_id: 'p', opportunity: { name: 'Renewal' }, related_objects: related });

it.each([
  [{}, {}, true],
  [{ account_domain: 'a.example' }, { account_domain: 'www.A.example' }, true],
  [{ account_domain: 'a.example' }, { primary_contact_email: 'ann@a.example' }, true],
  [{ account_domain: 'a.example' }, { account_domain: 'b.example' }, false],
  [{ account_external_id: '1' }, { account_external_id: ' 1' }, true],
  [{ account_external_id: '1' }, { account_external_id: '2' }, false],
  [{ account_external_id: '1' }, {}, false],
  [{ account_external_id: '1' }, { primary_contact_external_id: '1' }, false],
  [{ primary_contact_external_id: '1' }, { primary_contact_external_id: '2' }, false],
  [
    { account_external_id: '1', primary_contact_email: 'ann@a.example' },
    { account_external_id: '2', primary_contact_email: 'ann@a.example' },
    false,
  ],
])('deals with one name, of %j and of %j, have one key: %s', (one, other, isSame) => {
  expect(naturalKeyOf('opportunity', deal(one)) === naturalKeyOf('opportunity', deal(other))).toBe(isSame);
});

it('a deal does not name the account of its contact if it has an account by external id', () => {
  expect(accountDomainOf(deal({ primary_contact_email: 'ann@a.example' }))).toBe('a.example');
  const both = { account_external_id: '1', primary_contact_email: 'ann@a.example' };
  expect(accountDomainOf(deal(both))).toBeUndefined();
});

it('a turn begins when all earlier turns that share a key are done, and waits for no other', async () => {
  const order = new KeyOrder();
  const begun: string[] = [];
  const enter = (name: string, ...keys: readonly string[]) => {
    const turn = order.enter(keys);
    void turn.ready.then(() => begun.push(name));
    return turn;
  };
  const [first, second, third, other] = [
    enter('first', 'a', 'b'),
    enter('second', 'b', 'c'),
    enter('third', 'c'),
    enter('other', 'd'),
  ];
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  await settled();
  expect(begun).toEqual(['first', 'other']);
  other.done();
  await settled();
  expect(begun).toHaveLength(2);
  first.done();
  await settled();
  expect(begun).toEqual(['first', 'other', 'second']);
  enter('late', 'c', 'a');
  second.done();
  await settled();
  expect(begun).toEqual(['first', 'other', 'second', 'third']);
  third.done();
  await settled();
  expect(begun.at(-1)).toBe('late');
  enter('last', 'a', 'b');
  await settled();
  expect(begun).not.toContain('last');
});

it.each([
  ['account', { domain: 'https://www.A.example/' }, { domain: 'a.example' }, true],
  ['account', { domain: 'a.example', external_id: ' 7' }, { domain: 'b.example', external_id: '7' }, true],
  ['account', { domain: 'a.example', external_id: '7' }, { domain: 'b.example', external_id: '8' }, false],
  ['contact', { email: 'Ann@A.example' }, { email: 'ann@a.example' }, true],
  ['contact', { email: 'ann@a.example' }, { email: 'bea@a.example' }, false],
  ['note', { note: { title: 'T' } }, { note: { title: 'T' } }, false],
] as const)('rows of %s %j and %j share a key: %s', (object, one, other, isShared) => {
  const keys = orderKeys(object, other);
  expect(orderKeys(object, one).some((key) => keys.includes(key))).toBe(isShared);
});
