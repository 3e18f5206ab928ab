import * as contracts from '@crm/contract';
import { loadSetup, type OrganizationSetup } from '@crm/db';
import type { ObjectType } from '@crm/domain';
import { createTestClient, readTestStack } from '@crm/testing';
import type { TestGateway } from '../support/gateway.js';
import { recordsIn, type Subject, subjects, type WireRecord } from '../support/subject.js';
import { defineFields } from './custom-fields.js';
import { drawBodies } from './draw-bodies.js';
import { members } from './pools.js';
import { modelsOf, type RecordModel } from './record-model.js';

/** The organization that a property is tested on. */
export interface World {
  readonly setup: OrganizationSetup;
  readonly records: Readonly<Record<ObjectType, readonly RecordModel[]>>;
  /** What was sent for each record, by its id: fields by the names that filters use. */
  readonly sent: Readonly<Record<ObjectType, ReadonlyMap<string, Readonly<Record<string, unknown>>>>>;
}

/** The fields of a create by the names that filters use. */
const sentFields = ({
  opportunity,
  custom_fields,
  related_objects,
  ...own
}: Body): Readonly<Record<string, unknown>> => {
  const { primary_contact_email: contact_email, ...related } = (related_objects ?? {}) as Readonly<
    Record<string, unknown>
  >;
  const { deal_size: amount, ...deal } = opportunity === undefined ? {} : sentFields(opportunity);
  const sent = { ...own, ...custom_fields, ...deal, ...related, amount, contact_email };
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
};

/** Many records share an instant. */
const instant = (salt: string): string =>
  `to_timestamp(${Date.parse('2026-01-15T12:00Z') / 1000} + (ARRAY[0, 0, 0, 1, 1000, 86400000, -1])[1 + abs(hashtext(search_text || '${salt}') % 7)] / 1000.0)`;

/** Some stages are won or lost, and not all have a probability. */
const stagesSql = `UPDATE stages s SET outcome = (ARRAY['open', 'won', 'lost'])[1 + s.position % 3],
    probability = CASE WHEN s.position < 4 THEN s.position * 12.5 END
  WHERE s.organization_id = $1`;

const staysSql = `UPDATE opportunities o SET stage_entered_at = t.at, closed_at = CASE WHEN t.outcome <> 'open' THEN t.at END
  FROM (SELECT id, outcome, ${instant('d')} AS at FROM (
          SELECT o.id, s.outcome, o.search_text FROM opportunities o JOIN stages s ON s.organization_id = o.organization_id AND s.id = o.stage_id
           WHERE o.organization_id = $1) x) t
  WHERE o.organization_id = $1 AND o.id = t.id`;

const readAll = async ({ client }: TestGateway, subject: Subject): Promise<readonly WireRecord[]> => {
  const body = { limit: 500, fields: [...subject.extraKeys, 'custom_fields'] };
  return recordsIn(await client.send('POST', `/v1/${subject.collection}/search`, { body }), subject);
};

/** The body of a create: of a deal, or of another record, whose fields stand at its top. */
interface Body {
  readonly opportunity?: Body;
  readonly custom_fields?: object;
  readonly related_objects?: object;
}

/**
 * Defines fields, creates records through the inbound gateway, and reads them. Other tests show that all fields of a record are
 * returned as they were sent.
 */
export const makeWorld = async (gateway: TestGateway, seed: number): Promise<World> => {
  const { database, organization } = gateway;
  await database.prisma.organization.update({ where: { id: organization.id }, data: { freemail: 'skip' } });
  await database.prisma.member.createMany({
    data: members.map((email) => ({ id: crypto.randomUUID(), organizationId: organization.id, email, name: email })),
  });
  await defineFields(organization);
  await database.query(organization.id, { text: stagesSql, values: [] });
  const setup = await loadSetup(database, organization.id);
  const inbound = createTestClient(readTestStack().inboundUrl, organization.key);
  const send = async (contract: contracts.OperationContract, items: readonly object[]): Promise<readonly string[]> => {
    const { results } = (await inbound.call(contract, { body: { items } })).data as contracts.BulkResults;
    const refused = results.filter(({ success }) => !success);
    if (refused.length > 0) throw new Error(JSON.stringify(refused.slice(0, 3)));
    return results.map(({ id }) => id ?? '');
  };
  const drawn: Readonly<Record<ObjectType, readonly Body[]>> = drawBodies(setup, seed);
  /** Creates records. Every third one gets its custom values by an update, so searches must find it like the others. */
  const add = async (
    create: contracts.OperationContract,
    update: contracts.OperationContract,
    objectType: ObjectType,
  ): Promise<readonly string[]> => {
    const isLate = (index: number): boolean => index % 3 === 1;
    const without = ({ opportunity, custom_fields: _late, ...body }: Body): object =>
      opportunity === undefined ? body : { ...body, opportunity: without(opportunity) };
    const bodies = drawn[objectType];
    const ids = await send(
      create,
      bodies.map((body, index) => (isLate(index) ? without(body) : body)),
    );
    const late = bodies.flatMap(({ opportunity, custom_fields }, index) => {
      const fields =
        opportunity === undefined ? { custom_fields } : { opportunity: { custom_fields: opportunity.custom_fields } };
      return isLate(index) ? [{ id: ids[index], ...fields }] : [];
    });
    await send(update, late);
    return ids;
  };
  const accounts = await add(contracts.bulkCreateAccounts, contracts.bulkUpdateAccounts, 'account');
  const contacts = await add(contracts.bulkCreateContacts, contracts.bulkUpdateContacts, 'contact');
  const deals = await add(contracts.bulkCreateOpportunities, contracts.bulkUpdateOpportunities, 'opportunity');
  // Only an update leaves an account without a name, and a deal without a stage.
  const someOf = (ids: readonly string[]) => ids.filter((_id, index) => index % 4 === 2);
  await send(
    contracts.bulkUpdateAccounts,
    someOf(accounts).map((id) => ({ id, name: null })),
  );
  await send(
    contracts.bulkUpdateOpportunities,
    someOf(deals).map((id) => ({ id, opportunity: { stage_id: null } })),
  );
  for (const { collection } of Object.values(subjects)) {
    const version = `1 + abs(hashtext(search_text || 'c') % 4)`;
    const text = `UPDATE ${collection} SET created_at = ${instant('a')}, updated_at = ${instant('b')}, version = ${version} WHERE organization_id = $1`;
    await database.query(organization.id, { text, values: [] });
  }
  await database.query(organization.id, { text: staysSql, values: [] });
  const found = {
    account: await readAll(gateway, subjects.account),
    contact: await readAll(gateway, subjects.contact),
    opportunity: await readAll(gateway, subjects.opportunity),
  };
  const modelled = (objectType: ObjectType) => modelsOf(objectType, found[objectType], found.account);
  /** Only of records that were sent once: a repeat of a create keeps stored values. */
  const sentBy = (objectType: ObjectType, ids: readonly string[]) =>
    new Map(
      ids.flatMap((id, index) =>
        ids.indexOf(id) === ids.lastIndexOf(id) ? [[id, sentFields(drawn[objectType][index] ?? {})] as const] : [],
      ),
    );
  return {
    setup,
    sent: {
      account: sentBy('account', accounts),
      contact: sentBy('contact', contacts),
      opportunity: sentBy('opportunity', deals),
    },
    records: {
      account: modelled('account'),
      contact: modelled('contact'),
      opportunity: modelled('opportunity'),
    },
  };
};
