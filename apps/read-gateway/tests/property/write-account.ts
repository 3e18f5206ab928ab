import { accountCreate, runWrite } from '@crm/db';
import { accountNameFromDomain, normalizeForSearch, isFreeMail } from '@crm/domain';
import { customOf, type RecordModel, normalizeOrNull, historyOf } from './record-model.js';
import type { RecordDraw } from './record-draw.js';
import type { Writing } from './writing.js';

/** An account for contacts and deals. */
export interface AccountModel extends RecordModel {
  readonly domain: string;
}

const domains = ['gmail.com', 'acme.example', 'xn--mnchen-3ya.de', 'a-b.example', 'acme.example.org', 'x.y.z.example'];

/** Writes an account. Every third one is created without a name and so is named after its domain; some others have no name. */
export const writeAccount = async (
  { database, setup }: Writing,
  draw: RecordDraw,
  index: number,
): Promise<AccountModel> => {
  const domain = domains[index] ?? `d${index}.example`;
  const [industry = null, description = null, website = null, employeeRange = null] = draw.texts;
  const name = index % 3 === 0 ? undefined : (draw.texts[4] ?? null);
  const custom = { definitions: draw.definitions, values: draw.values };
  const externalId = index % 3 === 1 ? `Row-${index}` : null;
  const row = { externalId, domain, name, industry, description, website, employeeRange, ...custom };
  const { result: created } = await runWrite(database, setup.organizationId, accountCreate(row, 'keep'), null);
  const normalizedName = name === null ? null : normalizeForSearch(name ?? accountNameFromDomain(domain));
  return {
    id: created.id,
    domain,
    createdAtMs: draw.createdAtMs,
    system: {
      id: created.id,
      external_id: normalizeOrNull(externalId),
      domain,
      name: normalizedName,
      industry: normalizeOrNull(industry),
      description: normalizeOrNull(description),
      website: normalizeOrNull(website),
      employee_range: normalizeOrNull(employeeRange),
      is_freemail: isFreeMail(domain),
      ...historyOf(draw),
    },
    relations: {},
    custom: customOf(draw),
    searched: [...(normalizedName === null ? [] : [normalizedName]), domain],
  };
};
