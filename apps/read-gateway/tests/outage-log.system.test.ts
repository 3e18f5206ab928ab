import { describeOutageLog } from '@crm/testing/suites';
import { processSubject } from './support/process-subject.js';

describeOutageLog(processSubject);
