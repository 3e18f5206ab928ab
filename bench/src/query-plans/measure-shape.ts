import {
  type OrganizationSetup,
  type AdministrationDatabase,
  listPage,
  type PageRequest,
  parsePageRequest,
} from '@crm/db';
import { type CursorPosition, ErrorCollector, maxPageBytes, parseSearchQuery } from '@crm/domain';
import type { OrganizationLayout } from '../dataset/layout.js';
import { type Cost, measure } from './explain.js';
import { pageLimit, type Shape } from './shape.js';

/** The cost of a page of a shape. */
export interface ShapeCost extends Cost {
  readonly records: number;
}

/** The data that shapes are measured on. */
export interface Subject {
  readonly database: AdministrationDatabase;
  readonly setup: OrganizationSetup;
  readonly organization: OrganizationLayout;
}

/** The request of a shape. */
export const requestOf = ({ setup, organization }: Subject, shape: Shape, limit: number): PageRequest => {
  const { objectType, stageId, words = '', filters, sort } = shape;
  const firstPipeline = objectType === 'opportunity' ? (organization.pipelineIds[0] ?? null) : null;
  const errors = new ErrorCollector();
  const { request } = parsePageRequest(
    setup,
    {
      ...{ objectType, stageId, filters, sort, defaultSort: 'created_at' },
      pipelineId: shape.pipelineId === undefined ? firstPipeline : shape.pipelineId,
      readWords: (found) => parseSearchQuery(words, 'q', found),
      readLimit: () => limit,
    },
    errors,
  );
  errors.throwIfAny();
  return request;
};

interface PlaceRow extends Record<string, unknown> {
  readonly count: number;
  readonly position: (string | null)[] | null;
}

/**
 * The cursor position of the record at a place in an order. Runs the page's own statements with a limit that reaches
 * that place, and fetches only the last row.
 */
const positionAt = async (
  database: AdministrationDatabase,
  request: PageRequest,
  place: number,
): Promise<CursorPosition> => {
  let missing = place;
  const found: CursorPosition[] = [];
  const query: AdministrationDatabase['query'] = async (organizationId, { text, values }) => {
    if (missing === 0) return [];
    // Asks for one row more than needed, because the position is in the last row but one. Removes the byte limit of a
    // page, because these rows exceed it.
    const unbounded = values.map((value) => (value === maxPageBytes ? Number.MAX_SAFE_INTEGER : value));
    const rows = await database.query<PlaceRow>(organizationId, {
      text: `WITH p AS MATERIALIZED (SELECT position FROM (${text}) s)
             SELECT count(*)::int AS count, (SELECT position FROM p WHERE position IS NOT NULL) AS position FROM p`,
      values: unbounded.map((value) => (value === place + 1 ? missing + 1 : value)),
    });
    const position = rows[0]?.position ?? null;
    missing -= position === null ? (rows[0]?.count ?? 0) : missing;
    if (position !== null) found.push(position);
    return [];
  };
  await listPage({ ...database, query }, { ...request, limit: place });
  const [position] = found;
  if (position === undefined) throw new Error('There is no record at that place');
  return position;
};

const countOf = async (database: AdministrationDatabase, request: PageRequest): Promise<number> => {
  const { setup, objectType, pipelineId, stageId } = request;
  const table = { opportunity: 'opportunities', account: 'accounts', contact: 'contacts' }[objectType];
  const conditions = ['organization_id = $1'];
  const values: string[] = [];
  if (pipelineId !== null) conditions.push(`pipeline_id = $${values.push(pipelineId) + 1}`);
  if (stageId !== null) conditions.push(`stage_id = $${values.push(stageId) + 1}`);
  const text = `SELECT count(*)::int AS count FROM ${table} WHERE ${conditions.join(' AND ')}`;
  const [row] = await database.query<{ count: number }>(setup.organizationId, { text, values });
  return row?.count ?? 0;
};

/** The request for the page of a shape at its place. */
export const placedRequest = async (subject: Subject, shape: Shape, limit = pageLimit): Promise<PageRequest> => {
  const request = requestOf(subject, shape, limit);
  if (shape.place !== 'middle' && shape.place !== 'last') return request;
  const count = await countOf(subject.database, request);
  const place = shape.place === 'middle' ? Math.floor(count / 2) : count - limit;
  return { ...request, position: await positionAt(subject.database, request, place) };
};

/** Measures one page. */
export const measureRequest = async (database: AdministrationDatabase, request: PageRequest): Promise<ShapeCost> => {
  const { result, cost } = await measure(database, (measured) => listPage(measured, request));
  return { ...cost, records: result.records.length };
};

/** Measures one page of a shape. */
export const measureShape = async (subject: Subject, shape: Shape, limit = pageLimit): Promise<ShapeCost> =>
  measureRequest(subject.database, await placedRequest(subject, shape, limit));
