import type { TestOrganization } from '@crm/testing';
import type { TestGateway } from './gateway.js';
import { addRecord, type Subject, type SubjectRecord } from './subject.js';

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
  gateway: TestGateway,
  subject: Subject,
): Promise<Readonly<Record<string, string>>> => {
  await defineSubjectFields(gateway.organization, subject);
  const ids: Record<string, string> = {};
  for (const record of seededRecords) {
    ids[record.key] = await addRecord(gateway.database, gateway.organization, subject.objectType, record);
  }
  return ids;
};
