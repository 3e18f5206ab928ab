import { loadSetup } from '../organization-setup.js';
import type { Queries } from '../database.js';
import { labelField } from './fields/label-field.js';
import type { PageRequest } from './page-request.js';

/**
 * Prepares a request for `listPage`. A request that sorts by labels (of stages, pipelines or owners) gets the latest setup, because a
 * page sorted by cached labels would lack the records of new labels.
 * @param database - the server that serves the page
 */
export const withLatestLabels = async (database: Queries, request: PageRequest): Promise<PageRequest> => {
  const { setup, sort } = request;
  if (sort.every(({ field }) => labelField(setup, field) === null)) return request;
  return { ...request, setup: await loadSetup(database, setup.organizationId) };
};
