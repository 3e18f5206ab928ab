import { expect, it } from '@jest/globals';

import { accountDomainOf, naturalKeyOf } from './row-order.js';

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
