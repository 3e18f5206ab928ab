import { describeTraces } from '@crm/testing/suites';
import { processSubject } from './support/process-subject.js';

describeTraces({
  ...processSubject,
  service: 'crm-read-gateway',
  operation: 'listAccounts',
  route: '/v1/accounts',
  statement: 'FROM accounts',
  canary: {
    path: '/v1/accounts/search?',
    body: { query: 'canaryword', filters: [{ field: 'domain', operator: 'contains', value: 'canaryvalue' }] },
  },
});
