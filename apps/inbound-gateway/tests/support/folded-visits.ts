import type { Database } from '@crm/db';

/** The stays of an opportunity as rows: `stage entered left next-stage key`, in their order. */
export type VisitRows = ReadonlyMap<string, readonly string[]>;

interface LoggedChange extends Record<string, unknown> {
  readonly id: string;
  readonly kind: string;
  /** Only changed values, if the event is large. */
  readonly record: { readonly stage_id?: string | null; readonly updated_at: string } | null;
  readonly key: string | null;
  readonly other: string | null;
}

interface Visit {
  readonly stage: string;
  readonly enteredAt: string;
  readonly leftAt: string;
  readonly next: string | null;
  readonly key: string | null;
}

interface Stays {
  readonly ended: readonly Visit[];
  readonly current: Visit | null;
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
const byTime = (one: Visit, other: Visit): number =>
  compare(one.enteredAt, other.enteredAt) || compare(one.leftAt, other.leftAt);

const none: Stays = { ended: [], current: null };
const endedAt = ({ ended, current }: Stays, leftAt: string, next: string | null): readonly Visit[] =>
  current === null ? ended : [...ended, { ...current, leftAt, next }];

const changesSql = `SELECT e.record_id AS id, split_part(e.type, '.', 2) AS kind, e.record, e.api_key_id AS key, e.merged_with AS other
  FROM events e WHERE e.organization_id = $1 AND e.object = 'opportunity' ORDER BY e.position`;

const changed = (before: Stays, { kind, record, key }: LoggedChange): Stays => {
  const stage = record?.stage_id;
  const at = record?.updated_at ?? '';
  if (stage === undefined || stage === (before.current?.stage ?? null)) return before;
  const current = stage === null ? null : { stage, enteredAt: at, leftAt: '', next: null, key };
  return { ended: kind === 'created' ? [] : endedAt(before, at, stage), current };
};

const rowsOf = ({ ended, current }: Stays): readonly string[] =>
  [...ended, ...(current === null ? [] : [current])].map(
    ({ stage, enteredAt, leftAt, next, key }) => `${stage} ${enteredAt} ${leftAt} ${next} ${key}`,
  );

/** The stays of all opportunities of an organization, computed from its change log alone: also those of deleted ones. */
export const foldedVisits = async (database: Database, organizationId: string): Promise<VisitRows> => {
  const stays = new Map<string, Stays>();
  for (const change of await database.query<LoggedChange>(organizationId, { text: changesSql, values: [] })) {
    const { id, kind, record, other } = change;
    if (kind === 'deleted') continue;
    const after = changed(stays.get(id) ?? none, change);
    const merged =
      kind === 'merged' && other !== null ? endedAt(stays.get(other) ?? none, record?.updated_at ?? '', null) : [];
    stays.set(id, merged.length === 0 ? after : { ...after, ended: [...after.ended, ...merged].sort(byTime) });
  }
  return new Map([...stays].map(([id, one]) => [id, rowsOf(one)]));
};

const instant = (column: string): string =>
  `coalesce(to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '')`;
const rowSql = (entered: string, left: string, next: string, key: string): string =>
  `concat_ws(' ', v.stage_id, ${instant(entered)}, ${left}, coalesce((${next})::text, 'null'), coalesce(${key}::text, 'null'))`;
const endedSql = rowSql('v.entered_at', instant('v.left_at'), 'v.next_stage_id', 'v.api_key_id');

const storedSql = `
  SELECT o.id, ARRAY(SELECT ${endedSql} FROM stage_visits v
                      WHERE v.organization_id = $1 AND v.opportunity_id = o.id ORDER BY v.place)
      || ARRAY(SELECT ${rowSql('v.stage_entered_at', `''`, 'NULL', 'v.stage_api_key_id')} FROM opportunities v
                WHERE v.organization_id = $1 AND v.id = o.id AND v.stage_entered_at IS NOT NULL) AS visits
    FROM opportunities o WHERE o.organization_id = $1`;

/** The stored stays of all opportunities of an organization. */
export const storedVisits = async (database: Database, organizationId: string): Promise<VisitRows> => {
  const statement = { text: storedSql, values: [] };
  const rows = await database.query<{ id: string; visits: string[] }>(organizationId, statement);
  return new Map(rows.map(({ id, visits }) => [id, visits]));
};
