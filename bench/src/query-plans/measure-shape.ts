import {
  type AdministrationDatabase,
  listPage,
  parsePage,
  loadSetup,
  openAdministrationDatabase,
  type OrganizationSetup,
  type PageRequest,
  parsePageRequest,
} from '@crm/db';
import { type CursorPosition, ErrorCollector, maxPageBytes, parseSearchQuery } from '@crm/domain';
import { type OrganizationLayout, organizationLayout } from '../dataset/layout.js';
import { type Cost, measure } from './explain.js';
import { pageLimit, type Shape } from './shape.js';

/** The cost of a page of a shape. */
export interface ShapeCost extends Cost {
  readonly request: PageRequest;
  readonly records: number;
}

/** The cost of a shape in data of two sizes. */
export interface Comparison {
  readonly shape: Shape;
  readonly small: ShapeCost;
  /** A page with the same number of records as the small one. */
  readonly large: ShapeCost;
  /** A page of {@link pageLimit}, if enough records match. */
  readonly largeFull: ShapeCost;
}

/** The data that shapes are measured on. */
export interface Subject {
  readonly database: AdministrationDatabase;
  readonly setup: OrganizationSetup;
  readonly organization: OrganizationLayout;
}

/** Opens a database with the given number of deals to read pages from, with one connection and without a time limit. */
export const openSubject = async (url: string, opportunities: number): Promise<Subject> => {
  const options = { url, applicationName: 'bench', maxConnections: 1, statementTimeoutMs: 0 };
  const database = openAdministrationDatabase(options);
  const organization = organizationLayout(1, opportunities);
  return { database, organization, setup: await loadSetup(database, organization.id) };
};

/** Runs work with a subject, and then closes its database. */
export const withSubject = async <T>(
  url: string,
  opportunities: number,
  work: (subject: Subject) => Promise<T>,
): Promise<T> => {
  const subject = await openSubject(url, opportunities);
  try {
    return await work(subject);
  } finally {
    await subject.database.close();
  }
};

/** The request of a shape. */
export const requestOf = ({ setup, organization }: Subject, shape: Shape, limit: number): PageRequest => {
  const { objectType, stageId, words = '', filters, sort } = shape;
  const firstPipeline = objectType === 'opportunity' ? organization.pipelineIds[0] : null;
  const errors = new ErrorCollector();
  const { request } = parsePageRequest(
    setup,
    {
      objectType,
      stageId,
      filters,
      sort,
      defaultSort: 'created_at',
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
    // Without a row, the page is read record by record.
    if (missing === 0 || text.includes('string_agg')) return [];
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

/** Measures one page of a shape. */
export const measureShape = async (subject: Subject, shape: Shape, limit = pageLimit): Promise<ShapeCost> => {
  const request = await placedRequest(subject, shape, limit);
  const { result, cost } = await measure(subject.database, (measured) => listPage(measured, request));
  return { ...cost, request, records: parsePage(result).length };
};

/**
 * Measures a shape in two data sizes. Each size has its own list of shapes, because some values in shapes depend on the
 * number of deals.
 */
export const compareShapes = async (
  smallSubject: Subject,
  largeSubject: Subject,
  shape: Shape,
  largeShape: Shape,
): Promise<Comparison> => {
  const small = await measureShape(smallSubject, shape);
  const largeFull = await measureShape(largeSubject, largeShape);
  // If the small data has too few matches for a full page, the pages of the comparison have as many records.
  const isCut = small.records > 0 && small.records < pageLimit;
  const large = isCut ? await measureShape(largeSubject, largeShape, small.records) : largeFull;
  return { shape, small, large, largeFull };
};
