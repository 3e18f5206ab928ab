import type pg from 'pg';

/** A stored event. */
export interface EventRow {
  readonly position: number;
  readonly type: string;
  readonly object: string;
  readonly record_id: string;
  readonly version: number | null;
  readonly request_id: string | null;
  readonly api_key_id: string | null;
  readonly record: Record<string, unknown> | null;
  readonly previous: Record<string, unknown> | null;
  readonly changed: readonly string[];
  readonly is_erased: boolean;
  readonly bytes: number;
}

/** Reads the change log of one organization as it is stored. */
export const eventLog = (pool: () => pg.Pool, organizationId: () => string) => {
  /** The events after a position, in order. */
  const eventsAfter = async (position: number): Promise<EventRow[]> => {
    const text =
      'SELECT e.*, e.position::int AS position FROM events e WHERE organization_id = $1 AND position > $2 ORDER BY e.position';
    return (await pool().query<EventRow>(text, [organizationId(), position])).rows;
  };
  const head = async (): Promise<{ position: number; oldest: number }> => {
    const text = 'SELECT position::int, oldest_position::int AS oldest FROM event_heads WHERE organization_id = $1';
    const { rows } = await pool().query<{ position: number; oldest: number }>(text, [organizationId()]);
    return rows[0] ?? { position: 0, oldest: 1 };
  };
  return { eventsAfter, head };
};
