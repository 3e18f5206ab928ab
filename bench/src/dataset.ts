import type pg from 'pg';
import { insertOrganization } from './dataset/setup-rows.js';
import { checkOpportunities } from './dataset/check.js';
import { loadedTables, withoutForeignKeys, withoutSecondaryIndexes } from './dataset/indexes.js';
import { type OrganizationLayout, organizationLayouts } from './dataset/layout.js';
import { insertOpportunities } from './dataset/opportunities.js';
import { insertPeople } from './dataset/people.js';
import { withLoadSession } from './dataset/session.js';

/** To be increased whenever the same size gives different data, so that existing data is not reused. */
export const datasetVersion = 2;

/** The options of {@link createDataset}. */
interface DatasetOptions {
  /** The number of deals of the large organization. */
  readonly opportunities: number;
  /** Adds fifty more custom fields to every deal. */
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
 * Fills a migrated, empty database with realistic data: one large organization and a few small ones, names in several
 * scripts, and fields and words of known frequency. The same options give the same rows, including ids.
 *
 * @returns the large organization
 * @throws Error if a sample of the rows differs from what the write functions would store
 */
export const createDataset = (pool: pg.Pool, options: DatasetOptions): Promise<OrganizationLayout> =>
  withLoadSession(pool, async (client) => {
    const { opportunities, isWide = false, log = () => undefined } = options;
    const organizations = organizationLayouts(opportunities);
    const [large] = organizations;
    if (large === undefined) throw new Error('There is no organization to create');
    const load = async (): Promise<void> => {
      for (const organization of organizations) await insertAll(client, organization, isWide, log);
    };
    await withoutSecondaryIndexes(client, () => withoutForeignKeys(client, load), log);
    log('vacuum and analyze');
    await client.query(`VACUUM (ANALYZE) ${loadedTables.join(', ')}`);
    for (const { id } of organizations) await checkOpportunities(client, id);
    return large;
  });
