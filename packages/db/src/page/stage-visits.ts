import type { CursorPosition } from '@crm/domain';
import { recordColumn } from '../connection/values.js';
import type { Queries } from '../database.js';
import type { Page } from './list-page.js';
import { instantText } from './order.js';
import { Parameters } from './parameters.js';

/** A page of the stays of an opportunity in stages, oldest first. */
export interface StageVisitPage extends Page {
  /** The stays since then are complete: RFC 3339, UTC. */
  readonly completeFrom: string;
}

interface Row {
  /** Null for a page without stays, which has one row. */
  readonly place: number | null;
  readonly [recordColumn]: Buffer | null;
  readonly completeFrom: string;
}

/** The place of the current stay, after all others. */
const currentPlace = 2 ** 31 - 1;

const instantJson = (expression: string): string => `coalesce('"' || ${instantText(expression)} || '"', 'null')`;
const idJson = (expression: string): string => `coalesce('"' || ${expression} || '"', 'null')`;

const visitJson = `'{"opportunity_id":"' || o.id || '","stage_id":"' || v.stage_id || '","stage_name":'
    || coalesce((SELECT to_json(s.label)::text FROM stages s WHERE s.organization_id = $1 AND s.id = v.stage_id), 'null')
    || ',"entered_at":' || ${instantJson('v.entered_at')} || ',"left_at":' || ${instantJson('v.left_at')}
    || ',"api_key_id":' || ${idJson('v.api_key_id')} || '}'`;

/**
 * Reads a page of the stays of an opportunity in one statement: the ended ones, then the current one, which is in its own row. Returns
 * null if the organization has no such opportunity.
 */
export const readStageVisits = async (
  database: Queries,
  request: {
    readonly organizationId: string;
    readonly id: string;
    /** The place of the last stay of the previous page. */
    readonly position: CursorPosition | null;
    readonly limit: number;
  },
): Promise<StageVisitPage | null> => {
  const parameters = new Parameters();
  const id = `${parameters.add(request.id)}::uuid`;
  const after = `${parameters.add(request.position?.[0] ?? 0)}::int`;
  const statement = parameters.statement(`
    SELECT v.place, CASE WHEN v.place IS NOT NULL THEN ${visitJson} END AS ${recordColumn}, ${instantText('o.created_at')} AS "completeFrom"
      FROM opportunities o
      LEFT JOIN LATERAL (
        SELECT x.place, x.stage_id, x.entered_at, x.left_at, x.api_key_id FROM (
          SELECT p.place, p.stage_id, p.entered_at, p.left_at, p.api_key_id
            FROM stage_visits p WHERE p.organization_id = $1 AND p.opportunity_id = ${id} AND p.place > ${after}
          UNION ALL
          SELECT ${currentPlace}, o.stage_id, o.stage_entered_at, NULL, o.stage_api_key_id
           WHERE o.stage_entered_at IS NOT NULL AND ${currentPlace} > ${after}) x
         ORDER BY x.place LIMIT ${request.limit + 1}) v ON true
     WHERE o.organization_id = $1 AND o.id = ${id} ORDER BY v.place`);
  const rows = await database.query<Row & Record<string, unknown>>(request.organizationId, statement);
  const [first] = rows;
  if (first === undefined) return null;
  const records = rows.slice(0, request.limit).flatMap((row) => row[recordColumn] ?? []);
  const last = rows[request.limit - 1];
  const nextPosition = rows.length <= request.limit || last === undefined ? null : [String(last.place)];
  return { records, nextPosition, completeFrom: first.completeFrom };
};
