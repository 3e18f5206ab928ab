import { listPage, readEvents } from '@crm/db';
import { captureStatement, compareWithBareServer, type PageFixture, splitPage } from '../contestants/bare-server.js';
import { dealSql } from '../contestants/deal.js';
import { type Gateway, withGateway } from '../contestants/gateways.js';
import { organizationLayout } from '../dataset/layout.js';
import type { Figure } from '../harness/figures.js';
import { runPgbench } from '../harness/programs.js';
import { type MeasureGroup, type Run, withCopy } from '../harness/run.js';
import { withClient } from '../harness/with-client.js';
import { requestOf, type Subject, withSubject } from '../query-plans/measure-shape.js';

/** The placeholder of a record's id. */
const idMark = '00000000-0000-0000-0000-000000000000';

const recordOf = (name: string, contacts: readonly object[], fields: object): string =>
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

const contact = {
  contact_id: idMark,
  contact_first_name: 'Наталья Владимировна',
  contact_last_name: 'Παππαδοπούλου',
  contact_email: 'natalya@заря.example',
};
const fields = {
  region: 'Средняя Азия и Дальний Восток',
  next_meeting: '更新契約の打ち合わせは大阪の事務所で行います',
  stars: 4,
};

/** Short records have about 325 bytes of ASCII. Long ones have about 760 bytes, half of the characters beyond ASCII. */
const records = {
  short: recordOf('Renewal Alpha', [], {}),
  long: recordOf('Verlängerung der Lizenzen für Zürich, Київ и 大阪', [contact], fields),
};

/** Sets the records of the newest opportunities of a pipeline, enough for a page of 500 and one more. */
const setPageRecords = (url: string, { id, pipelineIds }: Subject['organization'], record: string): Promise<void> =>
  withClient(url, async (client) => {
    await client.query(
      `UPDATE opportunities SET record = replace($3, '${idMark}', id::text)
        WHERE organization_id = $1 AND id IN (
          SELECT id FROM opportunities WHERE organization_id = $1 AND pipeline_id = $2
           ORDER BY created_at DESC, id DESC LIMIT 501)`,
      [id, pipelineIds[0], record],
    );
    await client.query('VACUUM (ANALYZE) opportunities');
  });

const readListPage = async (gateway: Gateway, subject: Subject, limit: number): Promise<PageFixture> => {
  const { database, organization } = subject;
  const request = requestOf(subject, { name: 'list', objectType: 'opportunity', statements: 1 }, limit);
  const { records } = await listPage(database, request);
  const path = `/v1/opportunities?pipeline_id=${organization.pipelineIds[0]}&limit=${limit}`;
  const text = `SELECT string_agg(p.record, ',') FROM (
    SELECT o.record FROM opportunities o WHERE o.organization_id = $1 AND o.pipeline_id = $2
     ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit}) p`;
  return { ...(await splitPage(gateway, path, records)), text, values: [organization.id, organization.pipelineIds[0]] };
};

const readEventPage = async (gateway: Gateway, { database, organization }: Subject): Promise<PageFixture> => {
  const asked = {
    organizationId: organization.id,
    after: 1_000,
    logIds: [],
    limit: 500,
    object: null,
    type: null,
    recordId: null,
    changed: [],
  };
  const { statement, result } = await captureStatement(database, (captured) => readEvents(captured, asked));
  const page = await splitPage(gateway, `/v1/events?after=${asked.after}&limit=${asked.limit}`, result.events);
  const text = `SELECT p.record_bytes FROM (${statement.text}) p`;
  return { ...page, text, values: [organization.id, ...statement.values] };
};

const measureLists = async (run: Run, url: string, gateway: Gateway, subject: Subject): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const kind of ['short', 'long'] as const) {
    await setPageRecords(url, subject.organization, records[kind]);
    for (const limit of [50, 500]) {
      const page = await readListPage(gateway, subject, limit);
      const figure = { id: 'S1', what: `page of ${limit} ${kind} records`, atLeast: limit === 50 ? 0.85 : 0.7 };
      figures.push(...(await compareWithBareServer(run, figure, gateway, url, page)));
    }
  }
  return figures;
};

const measureEvents = async (run: Run, url: string, gateway: Gateway, subject: Subject): Promise<Figure[]> => {
  // Ten seconds of new deals fill the log, so that a page is a small part of it.
  const sql = [dealSql(subject.setup, subject.organization.pipelineIds[0])];
  await runPgbench({ databaseUrl: url, sql, seconds: 10, connections: 10 });
  await withClient(url, (client) => client.query('VACUUM (ANALYZE) events'));
  const figure = { id: 'S15', what: 'page of 500 events', atLeast: 0.6 };
  return compareWithBareServer(run, figure, gateway, url, await readEventPage(gateway, subject));
};

/** S1 and S15: pages of a list and of the change log, against a minimal server that sends the same bytes. */
export const pages: MeasureGroup = {
  ids: ['S1', 'S15'],
  measure: (run) =>
    withCopy(run, run.size, (url) =>
      withGateway('read-gateway', url, organizationLayout(1, run.size).id, (gateway) =>
        withSubject(url, run.size, async (subject) => [
          ...(run.wants('S1') ? await measureLists(run, url, gateway, subject) : []),
          ...(run.wants('S15') ? await measureEvents(run, url, gateway, subject) : []),
        ]),
      ),
    ),
};
