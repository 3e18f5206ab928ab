import type pg from 'pg';
import type { OrganizationLayout } from './layout.js';
import { firstNames, forms, lastNames, stems } from './vocabulary.js';

/** The average number of deals per account. */
const opportunitiesOfAnAccount = 100;

/** Accounts and contacts are older than all deals. */
const firstInstant = '2019-01-01T00:00:00Z';

/** Each domain contains the account's number, so that a search finds exactly one account by its domain. */
const accountsSql = `
  INSERT INTO accounts (organization_id, id, domain, name, normalized_name, search_text, created_at, updated_at)
  SELECT $1::uuid, pg_temp.id_at(a.at, 'account ' || $1::uuid::text || a.n), a.domain, a.name, a.normalized_name, a.normalized_name || ' ' || a.domain, a.at, a.at
    FROM (SELECT n, $3::timestamptz + n * interval '30 seconds' AS at, 'company' || n || '.com' AS domain,
                 pg_temp.pick($4, pg_temp.uniform(n, 1)) || ' ' || pg_temp.pick($6, pg_temp.uniform(n, 2)) || ' ' || n AS name,
                 pg_temp.pick($5, pg_temp.uniform(n, 1)) || ' ' || pg_temp.pick($7, pg_temp.uniform(n, 2)) || ' ' || n AS normalized_name
            FROM generate_series(1, $2::int) n) a`;

const contactsSql = `
  INSERT INTO contacts (organization_id, id, email, first_name, last_name, normalized, normalized_name, account_id, search_text, created_at, updated_at)
  SELECT $1::uuid, pg_temp.id_at(c.created_at, 'contact' || c.email), c.email, c.first_name, c.last_name,
         jsonb_build_object('first_name', c.normalized_first, 'last_name', c.normalized_last), c.normalized_first || ' ' || c.normalized_last, c.account_id,
         c.normalized_first || ' ' || c.normalized_last || ' ' || c.email, c.created_at, c.created_at
    FROM (SELECT a.id AS account_id, 'person' || j || '@' || a.domain AS email, a.created_at + j * interval '1 second' AS created_at,
                 pg_temp.pick($2, pg_temp.uniform(hashtext(a.domain), j)) AS first_name, pg_temp.pick($4, pg_temp.uniform(hashtext(a.domain), 2 + j)) AS last_name,
                 pg_temp.pick($3, pg_temp.uniform(hashtext(a.domain), j)) AS normalized_first, pg_temp.pick($5, pg_temp.uniform(hashtext(a.domain), 2 + j)) AS normalized_last
            FROM accounts a, generate_series(1, 2) j WHERE a.organization_id = $1::uuid) c
   ORDER BY c.created_at`;

/** Accounts by number, with the values that deals repeat. The second contact is in the form of stored records. */
const numberedSql = `
  CREATE TEMP TABLE numbered_accounts AS
  SELECT row_number() OVER (ORDER BY a.id) AS n, a.id, a.normalized_name || ' ' || a.domain AS search_text,
         a.domain, a.normalized_name, p.email AS contact_email, p.normalized->>'first_name' AS contact_first_name,
         p.normalized->>'last_name' AS contact_last_name, p.id AS contact_id, s.id AS additional_contact_id,
         '{"contact_id":"' || s.id || '","contact_first_name":' || to_json(s.first_name) || ',"contact_last_name":' || to_json(s.last_name)
           || ',"contact_email":' || to_json(s.email) || '}' AS additional_contact
    FROM accounts a
    JOIN contacts p ON p.organization_id = a.organization_id AND p.email = 'person1@' || a.domain
    JOIN contacts s ON s.organization_id = a.organization_id AND s.email = 'person2@' || a.domain
   WHERE a.organization_id = '`;

/**
 * Generates an organization's accounts with two contacts each. The temporary table `numbered_accounts` then has them by
 * number.
 */
export const insertPeople = async (client: pg.Client, { id, opportunities }: OrganizationLayout): Promise<void> => {
  const accounts = Math.max(10, Math.round(opportunities / opportunitiesOfAnAccount));
  const names = [stems.texts, stems.normalized, forms.texts, forms.normalized];
  await client.query(accountsSql, [id, accounts, firstInstant, ...names]);
  await client.query(contactsSql, [id, firstNames.texts, firstNames.normalized, lastNames.texts, lastNames.normalized]);
  await client.query('ANALYZE accounts, contacts; DROP TABLE IF EXISTS numbered_accounts');
  // CREATE TABLE takes no parameters. The id is safe to insert, because it comes from the layout.
  await client.query(`${numberedSql}${id}'`);
  await client.query('CREATE UNIQUE INDEX ON numbered_accounts (n); ANALYZE numbered_accounts');
};
