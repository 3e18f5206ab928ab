import type { OperationContract } from '@crm/contract';
import type { ObjectType } from '@crm/domain';
import type { Operation } from '@crm/http';
import type { Context } from '../context.js';
import { getRecord } from '../get-record.js';
import { getSchema, listFields } from '../list-fields.js';
import { listDuplicates, listHistory, listRecords, searchRecords } from '../list-records.js';
import { summarizeRecords } from '../summary.js';

type Reads = 'list' | 'search' | 'summarize' | 'get' | 'history' | 'duplicates' | 'fields' | 'schema';

/** The reads that every object has. */
export const objectReads = (
  objectType: ObjectType,
  contracts: Readonly<Record<Reads, OperationContract>>,
): readonly Operation<Context>[] => [
  listRecords(contracts.list, objectType),
  searchRecords(contracts.search, objectType),
  summarizeRecords(contracts.summarize, objectType),
  getRecord(contracts.get, objectType),
  listHistory(contracts.history, objectType),
  listDuplicates(contracts.duplicates, objectType),
  listFields(contracts.fields, objectType),
  getSchema(contracts.schema, objectType),
];
