import { loadCatalog } from '../catalog.js';
import type { Queries } from '../database.js';
import { catalogField } from './filter-sql.js';
import type { PageRequest } from './page-request.js';

/**
 * The request as `listPage` must get it: where it sorts by labels (of stages, pipelines or owners), with all labels that the
 * server has now. A cached setup may lack the newest ones, and the page would lack their records.
 * @param database - the server that the page is read from
 */
export const withLatestLabels = async (database: Queries, request: PageRequest): Promise<PageRequest> => {
  const { catalog, sort } = request;
  if (sort.every(({ field }) => catalogField(catalog, field) === null)) return request;
  return { ...request, catalog: await loadCatalog(database, catalog.organizationId) };
};
