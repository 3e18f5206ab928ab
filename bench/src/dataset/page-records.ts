import pg from 'pg';
import { organizationLayout } from './layout.js';

/** The records of measured pages. */
type RecordKind = 'short' | 'long';

/** The placeholder of a record's id. */
const idMark = '00000000-0000-0000-0000-000000000000';

const record = (name: string, contacts: readonly object[], fields: object): string =>
  JSON.stringify({
    id: idMark,
    name,
    pipeline_id: idMark,
    stage_id: idMark,
    stage_name: 'Lead',
    account_id: idMark,
    contact_id: idMark,
    additional_contacts: contacts,
    custom_fields: fields,
  });

/**
 * Short records have about 325 bytes of ASCII. Long ones have about 760 bytes, with half of the characters beyond
 * ASCII.
 */
const records: Readonly<Record<RecordKind, string>> = {
  short: record('Renewal Alpha', [], {}),
  long: record(
    'Verlängerung der Lizenzen für Zürich, Київ и 大阪',
    [
      {
        contact_id: idMark,
        contact_first_name: 'Наталья Владимировна',
        contact_last_name: 'Παππαδοπούλου',
        contact_email: 'natalya@заря.example',
      },
    ],
    {
      region: 'Средняя Азия и Дальний Восток',
      next_meeting: '更新契約の打ち合わせは大阪の事務所で行います',
      stars: 4,
    },
  ),
};

/** Sets the records of a pipeline's newest opportunities to one kind, enough for a page and one more. */
export const setPageRecords = async (url: string, size: number, kind: RecordKind, count: number): Promise<void> => {
  const { id, pipelineIds } = organizationLayout(1, size);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `UPDATE opportunities SET record = replace($4, '${idMark}', id::text)
        WHERE organization_id = $1 AND id IN (
          SELECT id FROM opportunities WHERE organization_id = $1 AND pipeline_id = $2
           ORDER BY created_at DESC, id DESC LIMIT $3)`,
      [id, pipelineIds[0], count, records[kind]],
    );
    await client.query('VACUUM (ANALYZE) opportunities');
  } finally {
    await client.end();
  }
};
