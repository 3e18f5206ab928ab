import type { CrmClient, Field } from '@crm/client';

import { listMembers } from '../setup/lookup.js';
import type { ExportRecord } from './columns.js';

/** Replaces the ids of members, which mean nothing in another organization, with emails. */
export interface MemberTranslation {
  /** Deleted members in the records so far. They are written as ids. */
  readonly unknown: ReadonlySet<string>;
  /** The custom values of a record, with emails, and with instants as texts. */
  readonly customValues: (record: ExportRecord) => Readonly<Record<string, unknown>>;
}

/** Makes the translation of fields. Reads the members if one of the fields has some. */
export const translateMembers = async (client: CrmClient, fields: readonly Field[]): Promise<MemberTranslation> => {
  const slugs = fields.filter(({ attribute_type: type }) => type === 'team_members').map(({ name }) => name);
  const instants = new Set(fields.filter((field) => field.attribute_type === 'timestamp').map(({ name }) => name));
  const members = slugs.length === 0 ? [] : await listMembers(client);
  const emails = new Map(members.map(({ member_id: id, email }) => [id, email]));
  const unknown = new Set<string>();
  const emailOf = (id: string): string => {
    const email = emails.get(id);
    if (email === undefined) unknown.add(id);
    return email ?? id;
  };
  const customValues: MemberTranslation['customValues'] = (record) => {
    const values: Readonly<Record<string, unknown>> = 'custom_fields' in record ? record.custom_fields : {};
    const translated = Object.entries(values).map(([slug, value]) => {
      if (slugs.includes(slug)) return [slug, memberIds(value).map(emailOf)];
      return [slug, instants.has(slug) && typeof value === 'number' ? new Date(value).toISOString() : value];
    });
    return Object.fromEntries(translated) as Readonly<Record<string, unknown>>;
  };
  return { unknown, customValues };
};

const memberIds = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
