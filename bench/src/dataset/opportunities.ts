import type pg from 'pg';
import { type OrganizationLayout, searchWords, tiers } from './layout.js';
import { areas, regions, subjects } from './vocabulary.js';

/** The number of rows per statement. */
const batchSize = 50_000;

/** The creation time of the newest deal. */
const lastInstant = '2026-01-01T00:00:00.000Z';
const longestGapMs = 90_000;
const wholeSpanMs = 3 * 365 * 86_400_000;

const gapMs = (opportunities: number): number => Math.min(longestGapMs, Math.floor(wholeSpanMs / opportunities));

/** The time before which the given share of an organization's deals was created. */
export const instantOf = ({ opportunities }: OrganizationLayout, share: number): string =>
  new Date(Date.parse(lastInstant) - (1 - share) * opportunities * gapMs(opportunities)).toISOString();

/** The random numbers of a deal, each for one purpose. Ranks are spread evenly, so that small shares are exact. */
const drawnSql = `
  SELECT n, $4::timestamptz - ($5::bigint - n) * $6::bigint * interval '1 millisecond' AS created_at,
         CASE WHEN n % 10 = 0 THEN 2 ELSE 1 END AS pipeline, (n * 7919 + 5) % 10000 AS rank,
         1 + floor(pg_temp.uniform(n, 11) * $7::int)::int AS account, 1 + floor(pg_temp.uniform(n, 12) * 5)::int AS stage,
         1 + floor(pg_temp.uniform(n, 13) * cardinality($10::uuid[]))::int AS owner,
         round((pg_temp.uniform(n, 14) * 100000)::numeric, 2) AS amount,
         pg_temp.uniform(n, 15) AS has_date, pg_temp.uniform(n, 16) AS has_more, pg_temp.uniform(n, 17) AS lateness,
         pg_temp.uniform(n, 18) AS subject, pg_temp.uniform(n, 19) AS area, pg_temp.uniform(n, 20) AS wording,
         pg_temp.uniform(n, 21) AS code, pg_temp.uniform(n, 22) AS region, pg_temp.uniform(n, 23) AS score,
         pg_temp.uniform(n, 24) AS rate, pg_temp.uniform(n, 25) AS stars
    FROM generate_series($2::bigint, $3::bigint) n`;

/** The name from the words in $12 and $14, and its normalized text from those in $13 and $15. */
const nameSql = (subjectWords: string, areaWords: string): string => `
  pg_temp.pick(${subjectWords}, d.subject) || ' ' || pg_temp.pick(${areaWords}, d.area) || ' ' || d.n
    || CASE WHEN d.wording < 0.3 THEN ' ${searchWords.common}' ELSE '' END
    || CASE WHEN d.n % 100000 = 7 THEN ' ${searchWords.rare}' ELSE '' END
    || CASE WHEN d.n <= $5::bigint / 100 THEN ' ${searchWords.oldClustered}' ELSE '' END`;

const tierSql = (): string => {
  let below = 0;
  const cases = tiers.map(({ value, perTenThousand }) => {
    below += perTenThousand;
    return `WHEN d.rank < ${below} THEN '${value}'`;
  });
  return `CASE ${cases.join(' ')} END`;
};

/** Custom values in their stored form. Keys with null are left out. */
const customFieldsSql = `
  jsonb_strip_nulls(jsonb_build_object('tier', ${tierSql()}, 'code', 'C' || floor(d.code * $5::bigint / 100)::int,
    'region', pg_temp.pick($16, d.region), 'due', CASE WHEN d.has_date < 0.7 THEN to_char(d.created_at, 'YYYY-MM-DD') END,
    'score', CASE WHEN d.has_more < 0.95 THEN floor(d.score * 1000000)::int END, 'rate', trim_scale(round((d.rate * 100)::numeric, 2)),
    'stars', CASE WHEN d.has_more < 0.8 THEN 1 + floor(d.stars * 5)::int END, 'flag', d.has_more < 0.4))`;

/**
 * All columns that are not derived from others. Every fourth deal was changed long after its creation, the others
 * within days.
 */
const rowsSql = `
  SELECT d.n, pg_temp.id_at(d.created_at, 'opportunity ' || $1::uuid::text || d.n) AS id, d.created_at,
         d.created_at + CASE WHEN d.lateness < 0.25 THEN d.lateness * interval '720 days' ELSE d.lateness * interval '2 days' END AS updated_at,
         ($8::uuid[])[d.pipeline] AS pipeline_id, ($9::uuid[])[5 * (d.pipeline - 1) + d.stage] AS stage_id,
         a.id AS account_id, CASE WHEN d.has_more < 0.9 THEN a.contact_id END AS contact_id, a.search_text AS account_text,
         a.domain AS account_domain, a.normalized_name AS account_name, CASE WHEN d.has_more < 0.9 THEN a.contact_email END AS contact_email,
         CASE WHEN d.has_more < 0.9 THEN a.contact_first_name END AS contact_first_name,
         CASE WHEN d.has_more < 0.9 THEN a.contact_last_name END AS contact_last_name,
         CASE WHEN d.has_date < 0.3 THEN a.additional_contact_id END AS additional_contact_id,
         CASE WHEN d.has_date < 0.3 THEN a.additional_contact ELSE '' END AS additional_contact,
         CASE WHEN d.rate < 0.95 THEN ($10::uuid[])[d.owner] END AS owner_id, CASE WHEN d.stars < 0.9 THEN d.amount END AS amount,
         CASE WHEN d.has_date < 0.8 THEN pg_temp.epoch_ms(d.created_at) + floor(d.score * 1e10)::bigint END AS close_date,
         CASE WHEN d.has_more < 0.3 THEN pg_temp.epoch_ms(d.created_at) + floor(d.rate * 1e9)::bigint END AS next_action_date,
         ${nameSql('$12', '$14')} AS name, ${nameSql('$13', '$15')} AS normalized_name, ${customFieldsSql} AS custom_fields
    FROM (${drawnSql}) d JOIN numbered_accounts a ON a.n = d.account`;

const recordSql = `
  '{"id":"' || r.id || '","name":' || to_json(r.name) || ',"pipeline_id":"' || r.pipeline_id || '","stage_id":"' || r.stage_id
    || '","stage_name":' || to_json(($11::text[])[array_position($9::uuid[], r.stage_id)])
    || ',"account_id":"' || r.account_id || '","contact_id":' || coalesce('"' || r.contact_id || '"', 'null')
    || ',"additional_contacts":[' || r.additional_contact || '],"custom_fields":' || r.custom_fields || '}'`;

/** The bits of the slots in `setup-rows.ts`. */
const bits = { tier: 1, code: 2, region: 4, due: 8, score: 256, rate: 512, stars: 1024, flag: 2048 };
const emptySlotsSql = `65535${Object.entries(bits)
  .map(([slug, bit]) => ` - (r.custom_fields ? '${slug}')::int * ${bit}`)
  .join('')}`;

const insertSql = `
  WITH made AS MATERIALIZED (${rowsSql}),
  linked AS (
    INSERT INTO opportunity_contacts (organization_id, opportunity_id, contact_id, position)
    SELECT $1::uuid, r.id, r.additional_contact_id, 1 FROM made r WHERE r.additional_contact_id IS NOT NULL)
  INSERT INTO opportunities (organization_id, id, pipeline_id, account_key, name, normalized_name, stage_id, stage_entered_at, closed_at, account_id, contact_id, owner_id,
    amount, currency, close_date, next_action_date, next_step,
    account_domain, account_name_key, contact_email, contact_first_name_key, contact_last_name_key, record, custom_fields, normalized, search_text, created_at, updated_at,
    text_1, text_2, text_3, text_4, number_1, number_2, number_3, number_4, empty_slots)
  SELECT $1::uuid, r.id, r.pipeline_id, r.account_id, r.name, r.normalized_name, r.stage_id, r.updated_at, CASE WHEN ($18::boolean[])[array_position($9::uuid[], r.stage_id)] THEN r.updated_at END,
         r.account_id, r.contact_id, r.owner_id, r.amount, CASE WHEN r.amount IS NOT NULL THEN 'EUR' END, r.close_date, r.next_action_date, 'call',
         r.account_domain, r.account_name, r.contact_email, r.contact_first_name, r.contact_last_name, ${recordSql},
         r.custom_fields, jsonb_build_object('next_step', 'call', 'custom__code', lower(r.custom_fields->>'code'),
           'custom__region', ($17::text[])[array_position($16::text[], r.custom_fields->>'region')]),
         r.normalized_name || ' ' || r.account_text, r.created_at, r.updated_at,
         r.custom_fields->>'tier', lower(r.custom_fields->>'code'),
         ($17::text[])[array_position($16::text[], r.custom_fields->>'region')], r.custom_fields->>'due',
         (r.custom_fields->>'score')::float8, (r.custom_fields->>'rate')::float8, (r.custom_fields->>'stars')::float8,
         (r.custom_fields->>'flag')::boolean::int, ${emptySlotsSql}
    FROM made r ORDER BY r.n`;

/** Generates an organization's deals, oldest first. Its accounts are in `numbered_accounts`. */
export const insertOpportunities = async (
  client: pg.Client,
  organization: OrganizationLayout,
  log: (message: string) => void,
): Promise<void> => {
  const { id, opportunities, pipelineIds, stageIds, memberIds } = organization;
  const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM numbered_accounts');
  const stages = await client.query<{ id: string; label: string; closes: boolean }>(
    `SELECT id, label, outcome <> 'open' AS closes FROM stages WHERE organization_id = $1`,
    [id],
  );
  const stageOf = new Map(stages.rows.map((stage) => [stage.id, stage]));
  const allStages = stageIds.flat();
  for (let from = 1; from <= opportunities; from += batchSize) {
    const to = Math.min(opportunities, from + batchSize - 1);
    await client.query(insertSql, [
      ...[id, from, to, lastInstant, opportunities, gapMs(opportunities), rows[0]?.count],
      ...[pipelineIds, allStages, memberIds, allStages.map((stage) => stageOf.get(stage)?.label)],
      ...[subjects.texts, subjects.normalized, areas.texts, areas.normalized, regions.texts, regions.normalized],
      allStages.map((stage) => stageOf.get(stage)?.closes),
    ]);
    log(`organization ${organization.number}: ${to} of ${opportunities} deals`);
  }
};
