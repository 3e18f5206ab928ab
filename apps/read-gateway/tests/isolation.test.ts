import { buildOpenApiDocument, type OperationContract, readOperations as contracts } from '@crm/contract';
import { documentedOperations, reportFigure, type Answer, type TestOrganization } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';

/** The data of one organization, all of it with a mark that occurs nowhere else. */
interface Tenant {
  readonly organization: TestOrganization;
  readonly mark: string;
  /** Its ids, by the parameter that takes them. */
  readonly ids: Readonly<Record<string, string>>;
}

const unknownId = '01890000-0000-7000-8000-000000000000';
const gateway = useGateway(startTestGateway);
let ours: Tenant;
let theirs: Tenant;

const fill = async (organization: TestOrganization, mark: string): Promise<Tenant> => {
  const { addAccount, addContact, addDeals, addNote, addWebhook } = gateway.records(organization);
  for (const objectType of ['opportunity', 'account', 'contact'] as const) {
    const own = { objectType, attributeType: 'string' } as const;
    await organization.defineField({ ...own, slug: `field_${mark}`, name: `Field ${mark}` });
    await organization.defineField({ ...own, slug: 'shared', name: `Shared ${mark}` });
  }
  await gateway.database.prisma.pipeline.updateMany({
    where: { organizationId: organization.id, id: organization.pipeline.id },
    data: { name: `Sales ${mark}`, comparableName: `sales ${mark}` },
  });
  const account = await addAccount(`${mark}.example`, `Account ${mark}`);
  const contact = await addContact(`ann@${mark}.example`, 'Ann', mark);
  // The same natural keys in both organizations.
  await addAccount('both.example', `Both ${mark}`);
  await addContact('ann@both.example', mark, null);
  const custom = { shared: mark, [`field_${mark}`]: mark };
  const stageId = organization.pipeline.stages[0]?.id ?? null;
  const related = { accountDomain: 'both.example', primary: 'ann@both.example', additional: [`ann@${mark}.example`] };
  const [deal = ''] = await addDeals([
    { name: 'Deal', ...related, stageId, ownerId: organization.member.id, nextStep: mark, custom },
    { name: `Deal ${mark}` },
  ]);
  // Duplicates for each object.
  await addAccount(`${mark}.test`, `Account ${mark}`);
  await addContact(`ann.too@${mark}.example`, 'Ann', mark);
  await addDeals([{ name: 'DEAL', ...related }]);
  const note = await addNote({
    title: `Note ${mark}`,
    domains: ['both.example', `${mark}.example`],
    emails: ['ann@both.example', `ann@${mark}.example`],
    opportunityIds: [deal],
  });
  const webhook = await addWebhook(mark);
  const ids = {
    account_id: account,
    contact_id: contact,
    opportunity_id: deal,
    note_id: note,
    record_id: account,
    pipeline_id: organization.pipeline.id,
    stage_id: stageId ?? '',
    owner_id: organization.member.id,
    organization_id: organization.id,
    webhook_id: webhook,
  };
  return { organization, mark, ids };
};

beforeAll(async () => {
  ours = await fill(gateway.organization, 'oursmark');
  theirs = await fill(gateway.stranger, 'theirsmark');
});

/** The name of the id in an operation's path. */
const pathIdOf = ({ path }: OperationContract): string => {
  const [, collection] = /^\/v1\/(\w+)\/\{id\}/.exec(path) ?? [];
  const names: Readonly<Record<string, string>> = {
    accounts: 'account_id',
    contacts: 'contact_id',
    opportunities: 'opportunity_id',
    pipelines: 'pipeline_id',
    notes: 'note_id',
    webhooks: 'webhook_id',
  };
  const name = names[collection ?? ''];
  if (name === undefined) throw new Error(`Say what the id in ${path} is an id of`);
  return name;
};

/** The operations and their id parameters, as the OpenAPI document lists them. */
const documented = documentedOperations(buildOpenApiDocument('read', contracts));

const propertiesOf = (schema: unknown): readonly string[] =>
  Object.keys((schema as { properties?: Readonly<Record<string, unknown>> } | undefined)?.properties ?? {});

/** The id parameters of a query or body. */
const idParametersOf = ({ query, body }: OperationContract): readonly string[] =>
  [...propertiesOf(query), ...propertiesOf(body)].filter((name) => name.endsWith('_id'));

/** Calls an operation as one tenant with the ids of another one (or its own). */
const ask = (
  contract: OperationContract,
  caller: Tenant,
  { pathIds, values }: { readonly pathIds: Tenant; readonly values: Readonly<Record<string, unknown>> },
): Promise<Answer> => {
  const path = contract.path
    .replace('{id}', () => pathIds.ids[pathIdOf(contract)] ?? '')
    .replace('{domain}', `${pathIds.mark}.example`)
    .replace('{email}', `ann@${pathIds.mark}.example`);
  const request = contract.body === undefined ? { query: values as Record<string, string> } : { body: values };
  return gateway.client.send(contract.method.toUpperCase(), path, { ...request, key: caller.organization.key });
};

const idsFor = (names: readonly string[], tenant: Tenant): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, tenant.ids[name] ?? '']));

/** Groups of a summary that contain ids, where the object refers to other records. */
const groupsOf = ({ path }: OperationContract): Readonly<Record<string, unknown>> => {
  if (!path.endsWith('/summary')) return {};
  if (path.includes('/opportunities/')) return { group_by: ['account_id', 'owner_id'] };
  return { group_by: [path.includes('/contacts/') ? 'account_id' : 'is_freemail'] };
};

/** Matches answers with data of the caller. A summary of accounts has only their number. */
const ownOf = ({ mark, ids }: Tenant): RegExp =>
  new RegExp(`${mark}|${Object.values(ids).join('|')}|"total":\\{"count":[1-9]`);

/** The required id parameters of an operation. */
const requiredOf = ({ query = {}, body = {} }: OperationContract): readonly string[] => {
  const required = [query, body].flatMap((one: { readonly required?: readonly string[] }) => one.required ?? []);
  return required.filter((name) => name.endsWith('_id'));
};

const expectNothingOf = (answer: Answer, { mark, ids }: Tenant): void => {
  asked += 1;
  if (answer.text.includes(mark)) foreign += 1;
  expect(answer.text).not.toContain(mark);
  for (const id of Object.values(ids)) expect(answer.text).not.toContain(id);
  for (const [, value] of answer.headers) expect(value).not.toContain(ids['organization_id']);
};

let foreign = 0;
let asked = 0;
afterAll(() => reportFigure('R7', `answers with anything foreign, of ${asked}`, foreign, 0));

const pairs = (): readonly (readonly [Tenant, Tenant])[] => [
  [ours, theirs],
  [theirs, ours],
];

test('R7: the tests below call every documented operation with every parameter that takes an id', () => {
  const asked = contracts.map((contract) => ({
    id: contract.id,
    ids: [...(contract.path.includes('{id}') ? ['id'] : []), ...idParametersOf(contract)].sort(),
  }));
  const ids = documented.map(({ id, idParameters, idFields }) => ({ id, ids: [...idParameters, ...idFields].sort() }));
  expect(asked).toEqual(expect.arrayContaining(ids));
  expect(ids).toHaveLength(contracts.length);
});

/** The latest position is only a number, and notes have no custom fields. */
const namesNothing: ReadonlySet<string> = new Set(['getLatestPosition', 'getNoteSchema']);

describe('200', () => {
  test.each(contracts)(
    'R7: $id answers each organization its own data and no byte of the other’s',
    async (contract) => {
      for (const [caller, other] of pairs()) {
        const optional = idParametersOf(contract).filter((name) => !requiredOf(contract).includes(name));
        const required = idsFor(requiredOf(contract), caller);
        for (const ids of [required, { ...required, ...idsFor(optional, caller) }]) {
          const values = { ...ids, ...groupsOf(contract) };
          const answer = await ask(contract, caller, { pathIds: caller, values });
          expect(answer.status).toBe(200);
          if (!namesNothing.has(contract.id)) expect(answer.text).toMatch(ownOf(caller));
          expectNothingOf(answer, other);
        }
      }
    },
  );

  test.each(contracts.filter(({ body }) => propertiesOf(body).includes('filters')))(
    'R7: $id finds nothing of the other organization by words, filters or ids',
    async (contract) => {
      for (const [caller, other] of pairs()) {
        const bodies: Readonly<Record<string, unknown>>[] = [
          { query: other.mark },
          { filters: { field: 'name', operator: 'contains', value: other.mark } },
          { filters: { field: 'shared', operator: 'eq', value: other.mark } },
          { filters: { field: 'id', operator: 'in', value: Object.values(other.ids) } },
          { filters: { not: { field: 'id', operator: 'eq', value: other.ids['account_id'] } }, limit: 500 },
        ];
        for (const [index, body] of bodies.entries()) {
          const values = { ...body, ...groupsOf(contract) };
          const answer = await ask(contract, caller, { pathIds: caller, values });
          expect(answer.status).toBe(200);
          expectNothingOf(answer, other);
          if (index < 4) expect(answer.text).toMatch(/"(accounts|contacts|opportunities|groups)":\[\]/);
        }
      }
    },
  );
});

describe('400 and 404', () => {
  test.each(contracts.filter(({ path }) => path.includes('{')))(
    'R7: $id answers an id or key of the other organization like an unknown one',
    async (contract) => {
      for (const [caller, other] of pairs()) {
        const answer = await ask(contract, caller, { pathIds: other, values: {} });
        const ids = Object.fromEntries(Object.keys(other.ids).map((name) => [name, unknownId]));
        const unknown = await ask(contract, caller, { pathIds: { ...other, mark: 'nobody', ids }, values: {} });
        expect([answer.status, answer.comparable]).toEqual([404, unknown.comparable]);
        expectNothingOf(answer, other);
      }
    },
  );

  const idBearing = contracts.flatMap((contract) => idParametersOf(contract).map((name) => ({ contract, name })));
  test.each(idBearing.map(({ contract, name }) => [contract.id, name, contract] as const))(
    'R7: %s answers a %s of the other organization like an unknown one',
    async (_id, name, contract) => {
      for (const [caller, other] of pairs()) {
        const required = idsFor(requiredOf(contract), caller);
        const send = (id: string | undefined) =>
          ask(contract, caller, { pathIds: caller, values: { ...required, [name]: id } });
        const answer = await send(other.ids[name]);
        // The log may contain deleted records, so an unknown record_id is not an error: it has no events.
        expect(answer.status).toBe({ pipeline_id: 404, record_id: 200 }[name] ?? 400);
        if (answer.status === 400) expect(answer.fieldsAtFault).toEqual([name]);
        expect(answer.comparable).toBe((await send(unknownId)).comparable);
        expectNothingOf(answer, other);
      }
    },
  );

  test.each(contracts.filter(({ query, body }) => propertiesOf(body ?? query).includes('fields')))(
    'R7: $id does not know the fields of the other organization',
    async (contract) => {
      for (const [caller, other] of pairs()) {
        const values = { ...idsFor(requiredOf(contract), caller), fields: `field_${other.mark}` };
        const answer = await ask(contract, caller, { pathIds: caller, values });
        expect(answer.fieldsAtFault).toEqual(['fields']);
      }
    },
  );
});
