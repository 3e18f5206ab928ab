import { loadSetup } from '../organization-setup.js';
import type { Queries } from '../database.js';
import { labelField } from './fields/label-field.js';
import type { PageRequest } from './page-request.js';

/**
 * The request as `listPage` must get it. If it sorts by labels (of stages, pipelines or owners), it gets the latest setup: a cached
 * one may lack new labels, and the page would lack their records.
 * @param database - the server that the page is read from
 */
export const withLatestLabels = async (database: Queries, request: PageRequest): Promise<PageRequest> => {
  const { setup, sort } = request;
  if (sort.every(({ field }) => labelField(setup, field) === null)) return request;
  return { ...request, setup: await loadSetup(database, setup.organizationId) };
};
