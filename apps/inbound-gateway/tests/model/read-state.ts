import type { Database } from '@crm/db';
import type { ModelState } from './state.js';

const sorted = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

/** A state as plain rows, by natural keys alone. */
export const describeModels = (states: readonly ModelState[]) => {
  const accounts = states.flatMap((state) => state.accounts);
  return {
    // The accounts of mail providers are made by every lane, and are one.
    accounts: [
      ...new Set(
        sorted(
          accounts.map(({ domain, name, industry, score, version }) => ({ domain, name, industry, score, version })),
        ),
      ),
    ],
    contacts: sorted(
      states
        .flatMap((state) => state.contacts)
        .map(({ email, first_name, last_name, score, account, version }) => ({
          email,
          first_name,
          last_name,
          score,
          account: account.domain,
          version,
        })),
    ),
    deals: sorted(
      states
        .flatMap((state) => state.deals)
        .map((deal) => ({
          name: deal.name,
          account: deal.account?.domain ?? null,
          owner_key: deal.account === null ? deal.ownerKey : null,
          primary: deal.primary?.email ?? null,
          additional: deal.additional.map(({ email }) => email),
          amount: deal.amount,
          next_step: deal.next_step,
          stage: deal.stage,
          score: deal.score,
          version: deal.version,
        })),
    ),
  };
};

/** What the database holds of an organization, in the same form. */
export const readState = async (database: Database, organizationId: string) => {
  const read = async (text: string): Promise<string[]> => {
    const rows = await database.query<{ row: object }>(organizationId, { text, values: [] });
    return sorted(rows.map(({ row }) => row));
  };
  const custom = `r.custom_fields->'score'`;
  return {
    accounts: await read(
      `SELECT json_build_object('domain', domain, 'name', name, 'industry', industry, 'score', ${custom}, 'version', version) AS row
         FROM accounts r WHERE organization_id = $1`,
    ),
    contacts: await read(
      `SELECT json_build_object('email', email, 'first_name', first_name, 'last_name', last_name, 'score', ${custom},
          'account', (SELECT a.domain FROM accounts a WHERE a.organization_id = $1 AND a.id = r.account_id), 'version', version) AS row
         FROM contacts r WHERE organization_id = $1`,
    ),
    deals: await read(
      `SELECT json_build_object('name', name,
          'account', (SELECT a.domain FROM accounts a WHERE a.organization_id = $1 AND a.id = r.account_id),
          'owner_key', CASE WHEN account_id IS NULL THEN account_key END,
          'primary', (SELECT c.email FROM contacts c WHERE c.organization_id = $1 AND c.id = r.contact_id),
          'additional', ARRAY(SELECT c.email FROM opportunity_contacts l JOIN contacts c ON c.organization_id = $1 AND c.id = l.contact_id
            WHERE l.organization_id = $1 AND l.opportunity_id = r.id ORDER BY l.position),
          'amount', trim_scale(amount), 'next_step', next_step,
          'stage', (SELECT s.label FROM stages s WHERE s.organization_id = $1 AND s.id = r.stage_id),
          'score', ${custom}, 'version', version) AS row
         FROM opportunities r WHERE organization_id = $1`,
    ),
  };
};
