import type { ObjectType } from '@crm/domain';
import type { Answer, TestClient, TestOrganization } from '@crm/testing';
import type { TestGateway } from './gateway.js';
import { addRecord, recordsIn, type Subject, type SubjectRecord, subjects } from './subject.js';

const options = ['hot', 'cold'].map((value) => ({ label: value.toUpperCase(), value, color: 'red' }));

/** Visible fields of every kind that the suites use, and a hidden one, on one object. */
export const defineSubjectFields = async (
  { defineField }: TestOrganization,
  { objectType }: Subject,
): Promise<void> => {
  await defineField({ objectType, slug: 'tier', attributeType: 'select', metadata: { options } });
  await defineField({ objectType, slug: 'seats', attributeType: 'number' });
  await defineField({ objectType, slug: 'motto', attributeType: 'string' });
  await defineField({ objectType, slug: 'secret', attributeType: 'string', isHidden: true });
  await defineField({ objectType, slug: 'term', attributeType: 'date_range' });
  await defineField({ objectType, slug: 'office', attributeType: 'location' });
  await defineField({ objectType, slug: 'tags', attributeType: 'multi_select', metadata: { options } });
};

/** The fields that are visible by default. */
export const visibleSlugs = ['tier', 'seats', 'motto', 'term', 'office', 'tags'];

/** The records of a seeded object, oldest first. */
export const seededRecords: readonly SubjectRecord[] = [
  {
    key: 'a1',
    name: 'Alpha One',
    custom: { tier: 'hot', seats: 3, motto: 'Größe', secret: 'S', tags: ['hot', 'cold'] },
  },
  { key: 'b1', name: 'beta two', custom: { seats: 10, motto: 'x😁😀', term: { start: '2026-01-01', end: null } } },
  { key: 'c1', name: 'Gamma 100%', custom: { tier: 'cold', motto: 'größer' } },
  { key: 'd1', name: 'delta_x', custom: { seats: 3, motto: '', tags: [] } },
  { key: 'e1', name: 'Epsilon two', custom: { tier: 'hot', seats: -1.5 } },
];

/** Defines fields and writes {@link seededRecords}. @returns the ids by key */
export const seedSubject = async (
  { database, organization: first }: TestGateway,
  subject: Subject,
  organization = first,
): Promise<Readonly<Record<string, string>>> => {
  await defineSubjectFields(organization, subject);
  const ids: Record<string, string> = {};
  for (const record of seededRecords) {
    ids[record.key] = await addRecord(database, organization, subject.objectType, record);
  }
  return ids;
};

/** One object's seeded records in an organization without others. */
export interface Seeded {
  readonly organization: TestOrganization;
  readonly client: TestClient;
  /** The ids of the records by key. */
  readonly ids: Readonly<Record<string, string>>;
  /** The keys of the records in an answer. */
  keysOf(answer: Answer): readonly (string | undefined)[];
}

/** Seeds each object in an organization of its own. */
export const seedEach = async (gateway: TestGateway): Promise<Readonly<Record<ObjectType, Seeded>>> => {
  const seed = async (subject: Subject): Promise<Seeded> => {
    const organization = await gateway.createOrganization();
    const ids = await seedSubject(gateway, subject, organization);
    const names = new Map(Object.entries(ids).map(([key, id]) => [id, key]));
    const keysOf = (answer: Answer) => recordsIn(answer, subject).map(({ id }) => names.get(id));
    return { organization, client: gateway.clientOf(organization), ids, keysOf };
  };
  const { account, contact, opportunity } = subjects;
  return { account: await seed(account), contact: await seed(contact), opportunity: await seed(opportunity) };
};
