import type { CrmClient, Field } from '@crm/client';

import { listMembers } from '../setup/lookup.js';
import type { ExportRecord } from './columns.js';

/** Replaces the ids of members, which mean nothing in another organization, with emails. */
export class MemberTranslation {
  readonly #unknown = new Set<string>();

  private constructor(
    private readonly slugs: readonly string[],
    private readonly emails: ReadonlyMap<string, string>,
  ) {}

  /** Reads the members if one of the fields has some. */
  static async make(client: CrmClient, fields: readonly Field[]): Promise<MemberTranslation> {
    const slugs = fields.filter(({ attribute_type: type }) => type === 'team_members').map(({ name }) => name);
    const members = slugs.length === 0 ? [] : await listMembers(client);
    return new MemberTranslation(slugs, new Map(members.map(({ member_id: id, email }) => [id, email])));
  }

  /** The number of deleted members in the records so far. They are written as ids. */
  get unknown(): number {
    return this.#unknown.size;
  }

  /** The custom values of a record, with emails. */
  readonly customValues = (record: ExportRecord): Readonly<Record<string, unknown>> => {
    const values = 'custom_fields' in record ? record.custom_fields : {};
    const translated = this.slugs.filter((slug) => Object.hasOwn(values, slug));
    if (translated.length === 0) return values;
    const emails = translated.map((slug) => [slug, memberIds(values[slug]).map(this.#emailOf)]);
    return { ...values, ...(Object.fromEntries(emails) as Record<string, unknown>) };
  };

  readonly #emailOf = (id: string): string => {
    const email = this.emails.get(id);
    if (email === undefined) this.#unknown.add(id);
    return email ?? id;
  };
}

const memberIds = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
