import type pg from 'pg';
import { fieldId, type OrganizationLayout, tiers } from './layout.js';

interface Field {
  readonly slug: string;
  readonly attributeType: string;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** The indexed column with the comparison key. */
  readonly slot: string;
}

const tierOptions = tiers.map(({ value }) => ({ label: value, value, color: 'gray' }));

const fields: readonly Field[] = [
  { slug: 'tier', attributeType: 'select', metadata: { options: tierOptions }, slot: 'text_1' },
  { slug: 'code', attributeType: 'string', metadata: null, slot: 'text_2' },
  { slug: 'region', attributeType: 'string', metadata: null, slot: 'text_3' },
  { slug: 'due', attributeType: 'date', metadata: null, slot: 'text_4' },
  { slug: 'score', attributeType: 'number', metadata: null, slot: 'number_1' },
  { slug: 'rate', attributeType: 'percentage', metadata: null, slot: 'number_2' },
  { slug: 'stars', attributeType: 'rating', metadata: { max: 5 }, slot: 'number_3' },
  { slug: 'flag', attributeType: 'checkbox', metadata: null, slot: 'number_4' },
];

/** Inserts an organization with its pipelines, stages, members and custom fields. */
export const insertOrganization = async (client: pg.Client, organization: OrganizationLayout): Promise<void> => {
  const { id, number, pipelineIds, stageIds, memberIds } = organization;
  await client.query('INSERT INTO organizations (id, name) VALUES ($1, $2)', [id, `Organization ${number}`]);
  await client.query(
    `INSERT INTO pipelines (organization_id, id, name, comparable_name, position)
     SELECT $1, p.id, 'Pipeline ' || p.n, 'pipeline ' || p.n, p.n FROM unnest($2::uuid[]) WITH ORDINALITY AS p (id, n)`,
    [id, pipelineIds],
  );
  for (const [index, ids] of stageIds.entries())
    await client.query(
      `INSERT INTO stages (organization_id, id, pipeline_id, label, comparable_label, position, color, probability, outcome)
       SELECT $1, s.id, $2, l.label, lower(l.label), s.n, 'gray', l.probability, l.outcome
         FROM unnest($3::uuid[]) WITH ORDINALITY AS s (id, n)
         JOIN unnest($4::text[], $5::float8[], $6::text[]) WITH ORDINALITY AS l (label, probability, outcome, n) USING (n)`,
      [
        ...[id, pipelineIds[index], ids, ['New', 'Qualified', 'Proposal', 'Won', 'Lost']],
        ...[
          [10, 30, 60, 100, 0],
          ['open', 'open', 'open', 'won', 'lost'],
        ],
      ],
    );
  await client.query(
    `INSERT INTO members (organization_id, id, email, name)
     SELECT $1, m.id, 'member' || m.n || '@example.com', 'Member ' || m.n FROM unnest($2::uuid[]) WITH ORDINALITY AS m (id, n)`,
    [id, memberIds],
  );
  const rows = fields.map((field, index) => ({ ...field, id: fieldId(organization, index + 1), position: index + 1 }));
  await client.query(
    `INSERT INTO custom_fields (organization_id, id, object_type, slug, name, attribute_type, metadata, position, slot)
     SELECT $1, f.id, 'opportunity', f.slug, f.slug, f."attributeType", f.metadata, f.position, f.slot
       FROM jsonb_to_recordset($2) AS f (id uuid, slug text, "attributeType" text, metadata jsonb, position int, slot text)`,
    [id, JSON.stringify(rows)],
  );
};
