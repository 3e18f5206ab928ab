import * as contracts from '@crm/contract';
import { trimText } from '@crm/domain';
import { countAnswers, hostileText, reportFigure, type Answer, propertyRuns } from '@crm/testing';
import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { useGateway } from './support/use-gateway.js';

const runs = propertyRuns({ short: 48, soak: 10_000 });
const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2_147_483_647);

let serverErrors = 0;

const gateway = useGateway(async ({ organization }) => {
  process.stdout.write(`hostile writes: ${runs} cases, FC_SEED=${seed}\n`);
  for (const objectType of ['account', 'contact', 'opportunity'] as const)
    await organization.defineField({ objectType, slug: 'remark', attributeType: 'string' });
});
afterAll(() => {
  reportFigure('R10', `5xx in ${runs} hostile writes`, serverErrors, 0);
  const { checked, faulty } = countAnswers();
  reportFigure('R21', `answers out of the contract, of ${checked} of the inbound gateway`, faulty, 0);
});

interface Creation {
  readonly contract: contracts.OperationContract;
  readonly table: string;
  /** Where the hostile texts are sent, and the column that stores each of them. */
  readonly columns: Readonly<Record<string, string>>;
  readonly body: (texts: Readonly<Record<string, string>>, unique: string) => object;
}

let count = 0;

/** Matches texts without a visible character. */
const blank = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]*$/u;

const creations: readonly Creation[] = [
  {
    contract: contracts.createAccount,
    table: 'accounts',
    columns: { name: 'name', industry: 'industry', description: 'description', remark: `custom_fields->>'remark'` },
    body: ({ remark, ...texts }, unique) => ({ ...texts, domain: `${unique}.example`, custom_fields: { remark } }),
  },
  {
    contract: contracts.createContact,
    table: 'contacts',
    columns: { first_name: 'first_name', job_title: 'job_title', remark: `custom_fields->>'remark'` },
    body: ({ remark, ...texts }, unique) => ({ ...texts, email: `${unique}@hostile.example`, custom__remark: remark }),
  },
  {
    contract: contracts.createOpportunity,
    table: 'opportunities',
    columns: { name: 'name', next_step: 'next_step', remark: `custom_fields->>'remark'` },
    body: ({ remark, ...texts }, unique) => ({
      pipeline_id: gateway().organization.pipeline.id,
      opportunity: { ...texts, custom_fields: { remark } },
      related_objects: { account_domain: `${unique}.example` },
    }),
  },
  {
    contract: contracts.createNote,
    table: 'notes',
    columns: { title: 'title', content: 'content' },
    body: (texts, unique) => ({ note: texts, account_domains: [`${unique}.example`] }),
  },
];

/** The rows that these calls could have created. */
const countRows = async (): Promise<number> => {
  const tables = ['accounts', 'contacts', 'opportunities', 'notes', 'opportunity_contacts', 'idempotency_keys'];
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table} WHERE organization_id = $1)`);
  const [row] = await gateway().rows<{ n: string }>(`SELECT ${counts.join(' + ')} AS n`);
  return Number(row?.n);
};

/** Checks that an answer is one that hostile input may get, and that refused input left no rows. */
const expectHarmless = async (call: () => Promise<Answer>): Promise<Answer> => {
  const before = await countRows();
  const answer = await call();
  if (answer.status >= 500) serverErrors += 1;
  expect(answer.status).toBeLessThan(500);
  if (answer.status !== 200) expect(await countRows()).toBe(before);
  return answer;
};

const patienceMs = 60_000 + runs * 100;

test(
  'R10: texts are stored as sent, apart from NFC and what is trimmed, or refused',
  async () => {
    const text = hostileText();
    const property = fc.asyncProperty(
      fc
        .constantFrom(...creations)
        .chain((creation) =>
          fc.tuple(
            fc.constant(creation),
            fc.record(Object.fromEntries(Object.keys(creation.columns).map((name) => [name, text]))),
          ),
        ),
      async ([{ contract, table, columns, body }, texts]) => {
        const unique = `hostile${(count += 1)}`;
        const answer = await expectHarmless(() => gateway().client.call(contract, { body: body(texts, unique) }));
        if (answer.status !== 200) {
          expect(answer.status).toBe(400);
          return;
        }
        const [id] = Object.values(answer.data as Record<string, string>);
        const selected = Object.entries(columns).map(([name, column]) => `${column} AS ${name}`);
        const rows = await gateway().rows(
          `SELECT ${selected.join(', ')} FROM ${table} WHERE organization_id = $1 AND id = $2`,
          [id],
        );
        expect(rows).toHaveLength(1);
        for (const [name, sent] of Object.entries(texts)) {
          // A blank text is stored as null, and an account without a name gets one.
          if (blank.test(sent)) continue;
          expect([sent, trimText(sent.normalize('NFC'))]).toContain(rows[0]?.[name]);
        }
      },
    );
    await fc.assert(property, { numRuns: runs, seed, endOnFailure: false });
  },
  patienceMs,
);
