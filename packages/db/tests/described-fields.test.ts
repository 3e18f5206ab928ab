import {
  changeOf,
  createFieldIndex,
  ErrorCollector,
  type FieldDescription,
  objects,
  type ObjectType,
  objectTypes,
  parseFieldSelection,
} from '@crm/domain';
import { readTestStack } from '@crm/testing';
import { setupTools } from '@crm/testing/suites';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openAdministrationDatabase } from '../src/administration-database.js';
import { loadSetup, type OrganizationSetup } from '../src/organization-setup.js';
import { readRecord } from '../src/page/record.js';
import { accountCreate, accountUpdate } from '../src/write/accounts.js';
import { contactCreate, contactUpdate } from '../src/write/contacts.js';
import { recordMerge } from '../src/write/merges.js';
import { opportunityCreate, opportunityUpdate } from '../src/write/opportunities.js';
import { runWrite, type Write } from '../src/write/write.js';
import { eventLog } from './support/event-log.js';

const database = openAdministrationDatabase({
  url: readTestStack().databaseUrl,
  applicationName: 'described-fields-test',
  maxConnections: 2,
});
let memberIds: string[];
let setup: OrganizationSetup;

afterAll(() => database.close());
beforeEach(async () => {
  const { createOrganization, createPipeline, addMember } = setupTools(database);
  const { id: organizationId } = await createOrganization({ name: 'Described fields' });
  await createPipeline({ organizationId, name: 'Sales', stages: [{ label: 'New' }, { label: 'Won' }] });
  memberIds = [];
  for (const name of ['ann', 'bob'])
    memberIds.push((await addMember({ organizationId, name, email: `${name}@example.com` })).id);
  setup = await loadSetup(database, organizationId);
});

const { eventsAfter, head } = eventLog(
  () => database.pool,
  () => setup.organizationId,
);
const run = async <Result>(write: Write<Result>): Promise<Result> =>
  (await runWrite(database, setup.organizationId, write, null)).result;
const firstPipeline = () => {
  const [pipeline] = setup.pipelines;
  if (pipeline === undefined) throw new Error('there is no pipeline');
  return pipeline;
};

const writes = {
  account: { create: accountCreate, update: accountUpdate },
  contact: {
    create: (...[change, onMatch]: Parameters<typeof accountCreate>) => contactCreate(setup, change, onMatch),
    update: (...[target, change]: Parameters<typeof accountUpdate>) => contactUpdate(setup, target, change),
  },
  opportunity: {
    create: (...[change, onMatch]: Parameters<typeof accountCreate>) =>
      opportunityCreate(setup, firstPipeline(), change, onMatch),
    update: (...[target, change]: Parameters<typeof accountUpdate>) => opportunityUpdate(setup, target, change),
  },
};

/** A value of a field, another one for each number. */
const valueOf = ({ name, kind, write }: FieldDescription, number: 0 | 1): unknown => {
  if (write?.as === 'stage') return firstPipeline().stages[number]?.id;
  if (write?.as === 'owner') return memberIds[number];
  if (write?.as === 'currencyCode') return ['EUR', 'USD'][number];
  switch (kind) {
    case 'domain':
      return `described-${number}.com`;
    case 'email':
      return `ann@described-${number}.com`;
    case 'number':
      return 2 * name.length + number + 0.5;
    case 'epoch_ms':
      // Another one for each field, so that no field can pass for another.
      return 1_798_675_200_000 + 2 * name.length + number;
    case 'boolean':
      return number === 1;
    default:
      return `${name} ${number}`;
  }
};

/** The fields that requests store in a column of the record. */
const columnsOf = (objectType: ObjectType): readonly FieldDescription[] =>
  objects[objectType].fields.filter(
    ({ write }: FieldDescription) => write !== undefined && write.reference === undefined,
  );

const valuesOf = (fields: readonly FieldDescription[], number: 0 | 1): Record<string, unknown> =>
  Object.fromEntries(fields.map((field) => [field.name, valueOf(field, number)]));

const read = async (objectType: ObjectType, id: string): Promise<Record<string, unknown>> => {
  const names = objects[objectType].fields.filter(({ isInput }) => isInput !== true).map(({ name }) => name);
  const selection = parseFieldSelection(names.join(), createFieldIndex(objectType, []), new ErrorCollector());
  const found = await readRecord(database, { objectType, id, organizationId: setup.organizationId, selection });
  return JSON.parse(found?.record ?? '{}') as Record<string, unknown>;
};

describe.each(objectTypes)('%s: each described field that requests can set', (objectType) => {
  const { create, update } = writes[objectType];
  const fields = columnsOf(objectType);

  test('is stored by a create and by an update, is read, and is in the events', async () => {
    const [first, second] = [valuesOf(fields, 0), valuesOf(fields, 1)];
    const { position } = await head();
    const { id } = await run<{ readonly id: string }>(create(changeOf(objectType, first), 'keep'));
    expect(await read(objectType, id)).toMatchObject(first);
    await run(update({ id }, changeOf(objectType, second)));
    const record = await read(objectType, id);
    expect(record).toMatchObject(second);
    const [created, updated] = (await eventsAfter(position)).filter(({ record_id: recordId }) => recordId === id);
    expect(created?.record).toMatchObject(first);
    expect(updated).toMatchObject({ record: second, previous: first });
    // An event has the columns of the record, without texts of other records.
    const shown = objectType === 'opportunity' ? ['additional_contact_ids'] : [];
    expect(
      Object.keys(updated?.record ?? {})
        .filter((name) => !(name in record))
        .sort(),
    ).toEqual(shown);
  });
});

test.each(['account', 'contact'] as const)('%s: a merge fills each empty field', async (objectType) => {
  const { create } = writes[objectType];
  const fields = columnsOf(objectType);
  const isKey = ({ write }: FieldDescription): boolean => write?.isKey === true;
  const nothing = Object.fromEntries(fields.map(({ name }) => [name, null]));
  const keys = valuesOf(fields.filter(isKey), 0);
  const { id } = await run<{ readonly id: string }>(create(changeOf(objectType, { ...nothing, ...keys }), 'keep'));
  const filling = valuesOf(fields, 1);
  const { id: from } = await run<{ readonly id: string }>(create(changeOf(objectType, filling), 'update'));
  const { filled } = await run(recordMerge(objectType, { id, from, isDryRun: false, mergesOpportunities: false }));
  expect(filled).toEqual(
    fields
      .filter((field) => !isKey(field))
      .map(({ name }) => name)
      .sort(),
  );
  expect(await read(objectType, id)).toMatchObject({ ...filling, ...keys });
});
