import { describeTraces } from '@crm/testing/suites';
import { processSubject } from './support/process-subject.js';

describeTraces({
  ...processSubject,
  service: 'crm-inbound-gateway',
  operation: 'createAccount',
  route: '/v1/inbound/accounts',
  statement: 'write(',
  canary: {
    path: '/v1/inbound/contacts?on_match=update',
    body: { email: 'canary@canary.com', first_name: 'canaryname', job_title: 'canarytitle' },
    headers: { 'idempotency-key': 'canarykey' },
  },
});
