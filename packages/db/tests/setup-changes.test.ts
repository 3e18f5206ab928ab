import { randomUUID } from 'node:crypto';
import { type Failure, type ObjectType, objectTypes } from '@crm/domain';
import { beforeEach, describe, expect, test } from '@jest/globals';
import * as changes from '../src/setup/setup-change.js';
import { useSmallOrganization } from './support/small-organization.js';

const organization = useSmallOrganization('setup-changes-test');
const { changeSetup, create, defineFields, rows } = organization;
type Changes = readonly changes.SetupChange[];

/** Ids by a text that says which row it is, such as `Sales/Won`, `contact.b` or `ann`. */
const ids = new Map<string, string>();
const id = (name: string): string => {
  const found = ids.get(name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};

const setupSql = `
  SELECT p.name, to_jsonb(p) AS row FROM pipelines p WHERE p.organization_id = $1
  UNION ALL SELECT p.name || '/' || s.label, to_jsonb(s) FROM stages s
    JOIN pipelines p ON p.organization_id = $1 AND p.id = s.pipeline_id WHERE s.organization_id = $1
  UNION ALL SELECT f.object_type || '.' || f.slug, to_jsonb(f) FROM custom_fields f WHERE f.organization_id = $1
  UNION ALL SELECT m.name, to_jsonb(m) FROM members m WHERE m.organization_id = $1
  UNION ALL SELECT 'links', jsonb_build_object('id', NULL, 'all', jsonb_agg(to_jsonb(l) ORDER BY l.custom_field_id, l.pipeline_id))
    FROM custom_field_pipelines l WHERE l.organization_id = $1`;
type Row = Readonly<Record<string, unknown>>;
const readRows = async (): Promise<ReadonlyMap<string, Row & { readonly name: string }>> =>
  new Map(
    (await rows<{ name: string; row: Row }>(setupSql)).map(({ name, row }) => [String(row['id']), { ...row, name }]),
  );

/** What a change of the setup changes in any row: `<row>.<column> <old> <new>`, `+<row>` and `-<row>`, sorted. */
const effectOf = async (list: Changes): Promise<string[]> => {
  const before = await readRows();
  await changeSetup(list);
  const after = await readRows();
  const added = [...after].flatMap(([key, { name }]) => (before.has(key) ? [] : [`+${name}`]));
  const others = [...before].flatMap(([key, old]) => {
    const row = after.get(key);
    if (row === undefined) return [`-${old.name}`];
    return Object.keys(old).flatMap((column) => {
      const [was, is] = [old, row].map((one) => JSON.stringify((one as Row)[column]));
      return was === is ? [] : [`${old.name}.${column} ${was} ${is}`];
    });
  });
  return [...added, ...others].filter((text) => !/\.comparable_|\.name "/.test(text)).sort();
};

test('the audit trail has the changes of one call in their order, although several are of one millisecond', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `Stage ${n}`);
  const { id } = organization.pipeline();
  await changeSetup(names.map((label) => changes.createStageChange(randomUUID(), id, { label }, undefined)));
  const text = `SELECT details->>'label' AS name FROM audit_events WHERE organization_id = $1 AND details->>'label' LIKE 'Stage %'`;
  expect(await rows(`${text} ORDER BY created_at, id`)).toEqual(names.map((name) => ({ name })));
});

beforeEach(async () => {
  ids.clear();
  const [sales, partners] = organization.setup().pipelines;
  const field = (objectType: ObjectType, slug: string, pipelineIds: readonly string[] | null = null) =>
    changes.defineFieldChange(randomUUID(), {
      objectType,
      slug,
      name: slug,
      attributeType: 'string',
      metadata: null,
      isHidden: false,
      pipelineIds,
    });
  await changeSetup([
    // Both pipelines have the stages New, Won and Default, in this order.
    ...[sales, partners].map((pipeline) =>
      changes.createStageChange(randomUUID(), pipeline?.id ?? '', { label: 'Default', isDefault: true }, undefined),
    ),
    ...objectTypes.flatMap((objectType) => ['a', 'b', 'c'].map((slug) => field(objectType, slug))),
    field('opportunity', 'of_sales', [sales?.id ?? '']),
    field('opportunity', 'of_partners', [partners?.id ?? '']),
  ]);
  for (const [key, { name }] of await readRows()) ids.set(name, key);
  await organization.reload();
});

const field = (name: string) => {
  const [objectType = '', slug = ''] = name.split('.');
  return { id: id(name), objectType: objectType as ObjectType, slug };
};
const stage = (name: string, change: changes.StageChange, keeps = false): Changes => [
  changes.updateStageChange(id(name), change, keeps),
];

describe('a change of the setup changes no other row', () => {
  const cases: Readonly<Record<string, readonly [() => Changes, readonly string[]]>> = {
    'a new default stage': [
      () => stage('Sales/Won', { isDefault: true }),
      ['Sales/Default.is_default true false', 'Sales/Won.is_default false true'],
    ],
    'an added default stage': [
      () => [changes.createStageChange(randomUUID(), id('Partners'), { label: 'First', isDefault: true }, 1)],
      [
        '+Partners/First',
        'Partners/Default.is_default true false',
        'Partners/Default.position 3 4',
        'Partners/New.position 1 2',
        'Partners/Won.position 2 3',
      ],
    ],
    'an archived default stage': [
      () => stage('Sales/Default', { isActive: false }),
      ['Sales/Default.is_active true false', 'Sales/Default.is_default true false'],
    ],
    'another color': [() => stage('Sales/New', { color: 'red' }), ['Sales/New.color "gray" "red"']],
    'another outcome': [() => stage('Sales/New', { outcome: 'lost' }), ['Sales/New.outcome "open" "lost"']],
    'another probability': [() => stage('Sales/New', { probability: 5 }), ['Sales/New.probability null 5']],
    'a stage that moves to the start': [
      () => stage('Sales/Default', { position: 1 }),
      ['Sales/Default.position 3 1', 'Sales/New.position 1 2', 'Sales/Won.position 2 3'],
    ],
    'a stage that moves beyond the end': [
      () => stage('Sales/New', { position: 99 }),
      ['Sales/Default.position 3 2', 'Sales/New.position 1 3', 'Sales/Won.position 2 1'],
    ],
    'a deleted stage': [
      () => [changes.deleteStageChange(id('Sales/New'), id('Sales'), 'New')],
      ['-Sales/New', 'Sales/Default.position 3 2', 'Sales/Won.position 2 1'],
    ],
    'a pipeline that moves': [
      () => [changes.updatePipelineChange(id('Partners'), { position: 1 })],
      ['Partners.position 2 1', 'Sales.position 1 2'],
    ],
    'an archived pipeline': [
      () => [changes.updatePipelineChange(id('Sales'), { isActive: false })],
      ['Sales.is_active true false'],
    ],
    'a new pipeline in the middle': [
      () => changes.createPipelineChanges(randomUUID(), { name: 'Middle', position: 2 }, [{ label: 'New' }]),
      ['+Middle', '+Middle/New', 'Partners.position 2 3'],
    ],
    'a field that moves': [
      () => [changes.updateFieldChange(field('contact.c'), { position: 1 })],
      ['contact.a.position 1 2', 'contact.b.position 2 3', 'contact.c.position 3 1'],
    ],
    'a hidden field': [
      () => [changes.updateFieldChange(field('contact.b'), { isHidden: true })],
      ['contact.b.is_hidden false true'],
    ],
    'a deleted field': [
      () => [changes.deleteFieldChange(field('account.a'))],
      ['-account.a', 'account.b.position 2 1', 'account.c.position 3 2'],
    ],
    'a former member': [() => [changes.removeMemberChange(id('ann'), true)], ['ann.is_active true false']],
    'a removed member': [() => [changes.removeMemberChange(id('ann'), false)], ['-ann']],
    'another email': [
      () => [changes.updateMemberChange(id('bob'), { email: 'rob@team.example' })],
      ['bob.email "bob@team.example" "rob@team.example"'],
    ],
  };
  test.each(Object.keys(cases))('%s', async (name) => {
    const [list, expected] = cases[name] ?? [() => [], []];
    expect(await effectOf(list())).toEqual(expected);
  });

  test('a deleted field of one pipeline leaves the pipelines of other fields', async () => {
    const linked = () => rows(`SELECT pipeline_id FROM custom_field_pipelines WHERE organization_id = $1`);
    expect(await linked()).toHaveLength(2);
    await changeSetup([changes.deleteFieldChange(field('opportunity.of_sales'))]);
    expect(await linked()).toEqual([{ pipeline_id: id('Partners') }]);
  });

  test('a slot that becomes free is used again, by fields of its object only', async () => {
    await changeSetup([changes.deleteFieldChange(field('account.b'))]);
    const added = {
      objectType: 'account',
      attributeType: 'string',
      metadata: null,
      isHidden: false,
    } as const;
    await defineFields([{ ...added, slug: 'd' }]);
    const slots = await rows(
      `SELECT object_type || '.' || slug || ' ' || position AS name, slot FROM custom_fields WHERE organization_id = $1 ORDER BY slot, 1`,
    );
    expect(slots.filter(({ slot }) => slot === 'text_2').map(({ name }) => name)).toEqual([
      'account.d 3',
      'contact.b 2',
      'opportunity.b 2',
    ]);
  });
});

describe('a change of the setup is refused', () => {
  const reasonOf = (list: Changes): Promise<unknown> =>
    changeSetup(list).then(
      () => null,
      (error: unknown) => (error as Failure).reason,
    );
  const deal = (values: object) => create('opportunity', { name: 'Deal', ...values });
  const option = (value: string) => ({ options: [{ value, label: value, color: 'gray' }] });

  test.each<[string, () => Promise<unknown> | undefined, () => Changes, object]>([
    [
      'a label of the pipeline',
      () => undefined,
      () => stage('Sales/New', { label: 'WON' }),
      { kind: 'key_taken', object: 'stage' },
    ],
    [
      'the name of a pipeline',
      () => undefined,
      () => [changes.updatePipelineChange(id('Sales'), { name: 'partners' })],
      { kind: 'key_taken', object: 'pipeline' },
    ],
    [
      'the email of a member',
      () => undefined,
      () => [changes.updateMemberChange(id('ann'), { email: 'bob@team.example' })],
      { kind: 'key_taken', object: 'member' },
    ],
    [
      'an archived stage with deals',
      () => deal({ stage_id: id('Sales/Won') }),
      () => stage('Sales/Won', { isActive: false }),
      { kind: 'setup_in_use', object: 'stage', opportunities: 1 },
    ],
    [
      'a deleted stage with deals',
      () => deal({ stage_id: id('Sales/Won') }),
      () => [changes.deleteStageChange(id('Sales/Won'), id('Sales'), 'Won')],
      { kind: 'setup_in_use', object: 'stage' },
    ],
    [
      'a removed member with deals',
      () => deal({ owner_id: id('ann') }),
      () => [changes.removeMemberChange(id('ann'), false)],
      { kind: 'setup_in_use', object: 'member', opportunities: 1 },
    ],
    [
      'an archived default stage',
      () => undefined,
      () => stage('Sales/Won', { isDefault: true, isActive: false }),
      { kind: 'default_stage_archived' },
    ],
    [
      'the last active stage',
      () => changeSetup([...stage('Sales/New', { isActive: false }), ...stage('Sales/Won', { isActive: false })]),
      () => stage('Sales/Default', { isActive: false }),
      { kind: 'last_stage' },
    ],
    ...objectTypes.map((objectType): [string, () => Promise<unknown>, () => Changes, object] => [
      `a deleted field of an ${objectType} with a value`,
      () => create(objectType, { domain: 'a.com', email: 'a@a.com', name: 'Deal' }, { a: 'x' }),
      () => [changes.deleteFieldChange(field(`${objectType}.a`))],
      { kind: 'field_in_use', object: objectType, records: 1, isDeletion: true },
    ]),
    [
      'metadata that another change has replaced',
      () => changeSetup([changes.updateFieldChange(field('account.a'), { metadata: option('new') })]),
      () => [changes.updateFieldChange(field('account.a'), { metadata: option('late') }, { foundMetadata: null })],
      { kind: 'setup_changed' },
    ],
    [
      'an unknown stage',
      () => undefined,
      () => [changes.updateStageChange(randomUUID(), { color: 'red' })],
      { kind: 'not_found' },
    ],
    [
      'an unknown member',
      () => undefined,
      () => [changes.updateMemberChange(randomUUID(), { name: 'x' })],
      { kind: 'not_found' },
    ],
  ])('%s', async (_about, prepare, list, reason) => {
    await prepare();
    const before = await readRows();
    expect(await reasonOf(list())).toMatchObject(reason);
    expect(await readRows()).toEqual(before);
  });

  test('each size beyond its limit, and the size itself is not', async () => {
    const sizes = { fields: 11, pipelines: 2, stages: 3, members: 2 };
    const refusalOf = async (limits: object) =>
      (await rows('SELECT refusal FROM change_setup($1, $2, $3, $4)', '[]', '{}', JSON.stringify(limits)))[0]?.[
        'refusal'
      ];
    expect(await refusalOf(sizes)).toBeNull();
    for (const [what, size] of Object.entries(sizes))
      expect(await refusalOf({ ...sizes, [what]: size - 1 })).toEqual({
        kind: 'setup_too_large',
        facts: { what, limit: size - 1 },
      });
    const texts = 'abc'.length * 3 + 'of_salesof_partners'.length;
    const bytes =
      texts + 'SalesPartners'.length + 2 * 'NewWonDefault'.length + 'annann@team.examplebobbob@team.example'.length;
    expect([await refusalOf({ bytes }), await refusalOf({ bytes: bytes - 1 })]).toMatchObject([
      null,
      { facts: { what: 'bytes' } },
    ]);
  });
});
