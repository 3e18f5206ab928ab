import { listContactHistory } from '@crm/contract';
import { describeHistory } from './support/describe-history.js';

describeHistory(listContactHistory, 'contact', (records, name) =>
  records.addContact(`${name}@people.example`, name, null),
);
