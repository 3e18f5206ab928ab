import { listPage, loadSetup } from '@crm/db';
import { organizationLayout } from '../dataset/layout.js';
import { requestOf } from '../query-plans/measure-shape.js';
import { captureStatement } from './capture-statement.js';
import type { Gateway } from './gateways.js';

/** The first page of a list, and everything that other servers need to send the same. */
export interface PageFixture {
  readonly limit: number;
  readonly path: string;
  /** The response body of the gateway. */
  readonly body: string;
  /** The texts before the first record and after the last. */
  readonly head: string;
  readonly tail: string;
  /** The statement that the gateway runs. */
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The organization and pipeline that pages are read from. */
export const pageScope = (size: number): { readonly organizationId: string; readonly pipelineId: string } => {
  const { id, pipelineIds } = organizationLayout(1, size);
  return { organizationId: id, pipelineId: pipelineIds[0] ?? '' };
};

/**
 * Reads a page from a gateway and splits it into its parts.
 *
 * @throws Error if it does not consist of the records of its statement
 */
export const readPageFixture = async (
  gateway: Gateway,
  databaseUrl: string,
  size: number,
  limit: number,
): Promise<PageFixture> => {
  const { organizationId, pipelineId } = pageScope(size);
  const path = `/v1/opportunities?pipeline_id=${pipelineId}&limit=${limit}`;
  const response = await fetch(`${gateway.url}${path}`, { headers: gateway.headers });
  const body = await response.text();
  const { statement, result } = await captureStatement(databaseUrl, async (database) => {
    const organization = organizationLayout(1, size);
    const setup = await loadSetup(database, organization.id);
    const shape = { name: 'list', objectType: 'opportunity', statements: 1 } as const;
    const request = requestOf({ database, setup, organization }, shape, limit);
    return (queries) => listPage(queries, request);
  });
  const records = result.records.map(String);
  const joined = records.join(',');
  const from = body.indexOf(joined);
  if (response.status !== 200 || records.length !== limit || from === -1)
    throw new Error(`The gateway did not answer the page: ${response.status} ${body.slice(0, 300)}`);
  return {
    ...{ limit, path, body, head: body.slice(0, from), tail: body.slice(from + joined.length) },
    ...{ text: statement.text, values: [organizationId, ...statement.values] },
  };
};
