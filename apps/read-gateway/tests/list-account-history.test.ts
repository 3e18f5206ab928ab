import { listAccountHistory } from '@crm/contract';
import { describeHistory } from './support/describe-history.js';

describeHistory(listAccountHistory, 'account', (records, name) => records.addAccount(`${name}.example`, name));
