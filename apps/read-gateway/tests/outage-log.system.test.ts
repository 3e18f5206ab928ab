import { describeOutageLog } from '@crm/testing';
import { processSubject } from './support/process-subject.js';

describeOutageLog(processSubject);
