import type pg from 'pg';
import { insertOrganization } from './dataset/setup-rows.js';
import { checkOpportunities } from './dataset/check.js';
import { loadedTables, withoutForeignKeys, withoutSecondaryIndexes } from './dataset/indexes.js';
import { type OrganizationLayout, organizationLayouts } from './dataset/layout.js';
import { insertOpportunities } from './dataset/opportunities.js';
import { insertPeople } from './dataset/people.js';
import { withLoadSession } from './dataset/session.js';

/** Changes whenever the same size gives other data, so that data that were kept are not taken for these. */
export const datasetVersion = 2;

/** What to make. */
export interface DatasetOptions {
  /** Deals of the large organization. */
  readonly opportunities: number;
  /** Fifty custom fields more on every deal. */
  readonly isWide?: boolean | undefined;
  /** Receives progress messages, one short phrase each. */
  readonly log?: ((message: string) => void) | undefined;
}

const insertAll = async (
  client: pg.PoolClient,
  organization: OrganizationLayout,
  isWide: boolean,
  log: (message: string) => void,
): Promise<void> => {
  await insertOrganization(client, organization, isWide);
  await insertPeople(client, organization);
  await insertOpportunities(client, organization, isWide, (done) =>
    log(`organization ${organization.number}: ${done} of ${organization.opportunities} deals`),
  );
};

/**
 * Fills a migrated, empty database with data that look like those of a CRM in use: one large organization beside a few small
 * ones, names in several scripts, fields and words of known frequency. The same options give the same rows, ids included.
 *
 * @returns the large organization
 * @throws Error when a sample of the rows is not what the write functions would have stored
 */
export const createDataset = (pool: pg.Pool, options: DatasetOptions): Promise<OrganizationLayout> =>
  withLoadSession(pool, async (client) => {
    const { opportunities, isWide = false, log = () => undefined } = options;
    const organizations = organizationLayouts(opportunities);
    const [large] = organizations;
    if (large === undefined) throw new Error('There is no organization to make');
    const load = async (): Promise<void> => {
      for (const organization of organizations) await insertAll(client, organization, isWide, log);
    };
    await withoutSecondaryIndexes(client, () => withoutForeignKeys(client, load), log);
    log('vacuum and analyze');
    await client.query(`VACUUM (ANALYZE) ${loadedTables.join(', ')}`);
    for (const { id } of organizations) await checkOpportunities(client, id);
    return large;
  });
