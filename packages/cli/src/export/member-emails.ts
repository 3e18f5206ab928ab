import { findApiKeyByHash, loadSetup, openDatabase } from '@crm/db';
import type { CrmClient, Field } from '@crm/client';
import { hashApiKey } from '@crm/domain';

import { databaseError } from '../administration/with-administration.js';
import { CliError } from '../errors.js';
import type { ExportRecord } from './columns.js';

/** Finds the email of a member. Undefined if it is unknown. */
export type FindMemberEmail = (memberId: string) => Promise<string | undefined>;

/** Finds the emails of members in opportunities that they own, through the read gateway. Other members stay unknown. */
export const emailsOfOwners =
  (client: CrmClient): FindMemberEmail =>
  async (memberId) => {
    const filters = [{ field: 'owner_id', operator: 'eq' as const, value: memberId }];
    const search = client.opportunities.search({ filters, fields: ['owner_email'], limit: 1 });
    const { data } = await search.page();
    return data.opportunities[0]?.owner_email ?? undefined;
  };

/**
 * Looks members up in the database, in the organization that the key belongs to.
 *
 * @throws CliError if the database cannot be used, or does not have the key.
 */
export const emailsInDatabase = async (url: string, apiKey: string): Promise<FindMemberEmail> => {
  const database = openDatabase({ url, applicationName: 'crm-cli', maxConnections: 1 });
  try {
    const key = await findApiKeyByHash(database, hashApiKey(apiKey));
    if (key === null) throw new CliError('The API key is not in the database of --database-url.');
    const { memberEmails } = await loadSetup(database, key.organizationId);
    return async (memberId) => memberEmails.get(memberId);
  } catch (error) {
    throw databaseError(error, url);
  } finally {
    await database.close();
  }
};

/** Replaces the ids of members, which mean nothing in another organization, with emails. */
export class MemberTranslation {
  readonly #slugs: readonly string[];
  readonly #find: FindMemberEmail;
  readonly #emails = new Map<string, string | undefined>();

  constructor(fields: readonly Field[], find: FindMemberEmail) {
    this.#slugs = fields.filter(({ attribute_type: type }) => type === 'team_members').map(({ name }) => name);
    this.#find = find;
  }

  /** The number of members whose email was not found in this run. */
  get unknown(): number {
    return [...this.#emails.values()].filter((email) => email === undefined).length;
  }

  /** Looks up every member that the records refer to. */
  async prepare(records: readonly ExportRecord[]): Promise<void> {
    for (const record of records) {
      for (const slug of this.#slugs) {
        for (const id of memberIds(valuesOf(record)[slug])) {
          if (!this.#emails.has(id)) this.#emails.set(id, await this.#find(id));
        }
      }
    }
  }

  /** The custom values of a record, with emails. `prepare` must have been called with the record. */
  readonly customValues = (record: ExportRecord): Readonly<Record<string, unknown>> => {
    const values = valuesOf(record);
    const translated = this.#slugs.filter((slug) => Object.hasOwn(values, slug));
    if (translated.length === 0) return values;
    const emails = translated.map((slug) => [slug, memberIds(values[slug]).map((id) => this.#emails.get(id) ?? id)]);
    return { ...values, ...(Object.fromEntries(emails) as Record<string, unknown>) };
  };
}

const valuesOf = (record: ExportRecord): Readonly<Record<string, unknown>> =>
  'custom_fields' in record ? record.custom_fields : {};

const memberIds = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
