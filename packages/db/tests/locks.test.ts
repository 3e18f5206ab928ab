import type { Failure } from '@crm/domain';
import { readTestStack, writeServerUrl } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { openDatabase } from '../src/database.js';
import * as changes from '../src/setup/setup-change.js';
import { recordDeletion } from '../src/write/deletions.js';
import { recordMerge } from '../src/write/merges.js';
import { noteCreate, noteUpdate } from '../src/write/notes.js';
import { opportunityCreate } from '../src/write/opportunities.js';
import type { Write } from '../src/write/write.js';
import { useSmallOrganization } from './support/small-organization.js';

const organization = useSmallOrganization('locks-test');
const { create, creation, note, organizationId, rows, run, update } = organization;

const reasonOf = (work: Promise<unknown>): Promise<Failure['reason'] | null> =>
  work.then(
    () => null,
    (error: unknown) => (error as Failure).reason,
  );

describe('the lock of an organization', () => {
  /** The writes, each with the lock that docs/sql says. */
  const writes = async (): Promise<
    readonly (readonly [mode: string | null, about: string, write: Write<unknown>])[]
  > => {
    const accountId = await create('account', { domain: 'acme.com', name: 'Acme' });
    const spareId = await create('account', { domain: 'spare.com' });
    const contactId = await create('contact', { email: 'ann@acme.com', first_name: 'An', last_name: 'Li' });
    const dealId = await create('opportunity', { name: 'Deal' });
    const noteId = await note({ title: 'T', accountDomains: ['acme.com'] });
    const text = (extra: object = {}) =>
      noteCreate(organization.setup(), { title: 'T', content: null, accountDomains: [], contactEmails: [], ...extra });
    const bulk = ({ function: name, input }: Write<unknown>): Write<unknown> => ({
      function: 'write_many',
      input: { function: name, items: [{ index: 0, input }], answers: {} },
    });
    const deal = (name: string, parts: object): Write<unknown> => {
      const { function: createDeal, input } = creation('opportunity', { name });
      return { function: createDeal, input: { ...input, ...parts } };
    };
    const primary_contact = creation('contact', { email: 'part@acme.com' }).input;
    const merge = (isDryRun: boolean) =>
      recordMerge('account', { id: accountId, from: spareId, isDryRun, mergesOpportunities: false });
    return [
      ['ShareLock', 'create an account', creation('account', { domain: 'new.com' })],
      ['ShareLock', 'create a contact', creation('contact', { email: 'new@acme.com' })],
      ['ShareLock', 'create a deal', creation('opportunity', { name: 'New' })],
      ['ShareLock', 'create a note', text()],
      [
        'ExclusiveLock',
        'create an account with an external id',
        creation('account', { domain: 'ex.com', external_id: '1' }),
      ],
      [
        'ExclusiveLock',
        'create a contact with an external id',
        creation('contact', { email: 'ex@acme.com', external_id: '1' }),
      ],
      ['ExclusiveLock', 'create a deal with an external id', creation('opportunity', { name: 'Ex', external_id: '1' })],
      ['ExclusiveLock', 'create a note with an id', text({ id: '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4' })],
      ['ExclusiveLock', 'create a deal with its contact', deal('A', { primary_contact })],
      ['ExclusiveLock', 'create a deal with a note', deal('B', { note: text().input })],
      ['ExclusiveLock', 'create deals with their contacts', bulk(deal('C', { primary_contact }))],
      ['ExclusiveLock', 'create deals with notes', bulk(deal('D', { note: text().input }))],
      ['ShareLock', 'create accounts', bulk(creation('account', { domain: 'bulk.com' }))],
      ['ShareLock', 'create notes', bulk(text())],
      [
        'ExclusiveLock',
        'create accounts with external ids',
        bulk(creation('account', { domain: 'b.com', external_id: '9' })),
      ],
      ['ExclusiveLock', 'create notes with ids', bulk(text({ id: '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e5' }))],
      ['ExclusiveLock', 'change accounts', bulk(update('account', { id: accountId }, { industry: 'Glass' }))],
      [null, 'an update without a change', noteUpdate({ id: noteId }, { title: 'T' })],
      ['ShareLock', 'change an account', update('account', { id: accountId }, { industry: 'Steel' })],
      ['ShareLock', 'change a contact', update('contact', { id: contactId }, { job_title: 'CTO' })],
      ['ShareLock', 'change a deal', update('opportunity', { id: dealId }, { next_step: 'Call' })],
      ['ShareLock', 'change a note', noteUpdate({ id: noteId }, { content: 'C' })],
      ['ExclusiveLock', 'rename an account', update('account', { id: accountId }, { name: 'New' })],
      ['ExclusiveLock', 'another domain', update('account', { id: accountId }, { domain: 'newer.com' })],
      ['ExclusiveLock', 'another external id', update('account', { id: accountId }, { external_id: '2' })],
      ['ExclusiveLock', 'rename a contact', update('contact', { id: contactId }, { first_name: 'Ann' })],
      ['ExclusiveLock', 'another last name', update('contact', { id: contactId }, { last_name: 'Lee' })],
      ['ExclusiveLock', 'another email', update('contact', { id: contactId }, { email: 'ann.lee@acme.com' })],
      ['ExclusiveLock', 'rename a deal', update('opportunity', { id: dealId }, { name: 'Newer' })],
      [
        'ExclusiveLock',
        'another account of a deal',
        update('opportunity', { id: dealId }, { account_domain: 'spare.com' }),
      ],
      [
        'ExclusiveLock',
        'another contact of a deal',
        update('opportunity', { id: dealId }, { contact_email: 'new@acme.com' }),
      ],
      // What a request sends decides, even if it equals the stored value: the write then needs no second try if another one has changed it.
      ...(
        [
          ['account', accountId, { name: 'Acme' }, { industry: 'Wool' }],
          ['account', accountId, { domain: 'acme.com' }, { industry: 'Wool' }],
          ['contact', contactId, { first_name: 'An' }, { job_title: 'CEO' }],
          ['contact', contactId, { last_name: 'Li' }, { job_title: 'CEO' }],
          ['contact', contactId, { email: 'ann@acme.com' }, { job_title: 'CEO' }],
          ['opportunity', dealId, { name: 'Deal' }, { next_step: 'Wait' }],
        ] as const
      ).map(([objectType, id, same, change]): [string, string, Write<unknown>] => [
        'ExclusiveLock',
        `a change of a ${objectType} that sends the same ${Object.keys(same).join()}`,
        update(objectType, { id }, { ...same, ...change }),
      ]),
      [null, 'a dry run of a merge', merge(true)],
      ['ExclusiveLock', 'a deletion', recordDeletion('opportunity', { id: dealId })],
      ['ExclusiveLock', 'a deletion of a note', recordDeletion('note', { id: noteId })],
      ['ExclusiveLock', 'a deletion of a contact', recordDeletion('contact', { id: contactId })],
      ['ExclusiveLock', 'a deletion of an account', recordDeletion('account', { id: spareId })],
      ['ExclusiveLock', 'a merge', merge(false)],
    ];
  };

  test('is exclusive for names, keys, external ids and removals, shared for other changes, and not taken for none', async () => {
    const list = await writes();
    const url = await writeServerUrl(readTestStack().databaseUrl, organizationId());
    const one = openDatabase({ url, applicationName: 'locks-test', maxConnections: 1 });
    const modes = [];
    for (const [, about, write] of list) {
      await one.queryServer({ text: 'BEGIN' });
      await run(write, null, one);
      // The locks of a bigint; Citus has others.
      const text = `SELECT mode FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory' AND objsubid = 1 AND granted`;
      const [lock] = await one.queryServer<{ mode: string }>({ text });
      modes.push([lock?.mode ?? null, about]);
      await one.queryServer({ text: 'ROLLBACK' });
    }
    await one.close();
    expect(modes).toEqual(list.map(([mode, about]) => [mode, about]));
  });
});

describe('a write that was prepared with an older setup', () => {
  const setupBefore = async (archived: changes.SetupChange) => {
    const before = organization.setup();
    await organization.changeSetup([archived]);
    return before;
  };
  const [sales, won] = [() => organization.pipeline(), () => organization.pipeline().stages[1]?.id ?? ''];
  const field = {
    objectType: 'account',
    attributeType: 'string',
    metadata: null,
    isHidden: false,
    slug: 'passing',
  } as const;
  /** Contacts keep a field of the same name. */
  const defineField = async (): Promise<string> => {
    await organization.defineFields([field, { ...field, objectType: 'contact' }]);
    return organization.setup().fields.find(({ objectType }) => objectType === 'account')?.id ?? '';
  };

  test.each<[string, string, () => Promise<unknown>]>([
    [
      'a new deal in a stage archived since',
      'stage_archived',
      async () => {
        const before = await setupBefore(changes.updateStageChange(won(), { isActive: false }));
        return run(
          opportunityCreate(
            before,
            sales(),
            organization.changeOf('opportunity', { name: 'Late', stage_id: won() }),
            'keep',
          ),
        );
      },
    ],
    [
      'a deal that moves to a stage archived since',
      'stage_archived',
      async () => {
        const id = await create('opportunity', { name: 'Moves' });
        await setupBefore(changes.updateStageChange(won(), { isActive: false }));
        return run(update('opportunity', { id }, { stage_id: won() }));
      },
    ],
    [
      'a deal that moves to a stage deleted since',
      'stage_archived',
      async () => {
        const id = await create('opportunity', { name: 'Moves' });
        const to = won();
        await setupBefore(changes.deleteStageChange(to, sales().id, 'Won'));
        return run(update('opportunity', { id }, { stage_id: to }));
      },
    ],
    [
      'a new deal in a pipeline archived since',
      'pipeline_archived',
      async () => {
        const before = await setupBefore(changes.updatePipelineChange(sales().id, { isActive: false }));
        return run(opportunityCreate(before, sales(), organization.changeOf('opportunity', { name: 'Late' }), 'keep'));
      },
    ],
    [
      'a deal restored into a pipeline archived since',
      'pipeline_archived',
      async () => {
        const id = await create('opportunity', { name: 'Late' });
        await organization.remove('opportunity', id);
        await setupBefore(changes.updatePipelineChange(sales().id, { isActive: false }));
        return organization.restore('opportunity', id);
      },
    ],
    [
      'a value of a field deleted since',
      'setup_changed',
      async () => {
        const id = await defineField();
        const write = creation('account', { domain: 'late.com' }, { passing: 'x' });
        await organization.changeSetup([changes.deleteFieldChange({ ...field, id })]);
        return run<unknown>(write);
      },
    ],
    [
      'a changed value of a field deleted since',
      'setup_changed',
      async () => {
        const fieldId = await defineField();
        const id = await create('account', { domain: 'late.com' });
        const write = update('account', { id }, {}, { passing: 'x' });
        await organization.changeSetup([changes.deleteFieldChange({ ...field, id: fieldId })]);
        return run(write);
      },
    ],
  ])('is refused: %s', async (_about, kind, work) => {
    expect(await reasonOf(work())).toMatchObject({ kind });
    expect(await rows(`SELECT FROM opportunities WHERE organization_id = $1 AND name = 'Late'`)).toEqual([]);
  });

  test('keeps the archived stage of a deal that only changes otherwise', async () => {
    const id = await create('opportunity', { name: 'Stays', stage_id: won() });
    await rows('UPDATE stages SET is_active = false WHERE organization_id = $1 AND id = $2', won());
    expect(await run(update('opportunity', { id }, { next_step: 'Call', stage_id: won() }))).toMatchObject({
      record_status: 'updated',
    });
  });
});
