import { type OrganizationSetup, type AdministrationDatabase, loadSetup } from '@crm/db';
import type { ObjectType } from '@crm/domain';
import { type TestOrganization, testSize } from '@crm/testing';
import fc from 'fast-check';
import { defineFields } from './custom-fields.js';
import { members } from './pools.js';
import type { RecordModel } from './record-model.js';
import { drawRecord, type RecordDraw } from './record-draw.js';
import {
  type AccountModel,
  type ContactModel,
  writeAccount,
  writeContact,
  writeDeal,
  type Writing,
} from './write-records.js';

/** The organization that a property is tested on. */
export interface World {
  readonly setup: OrganizationSetup;
  readonly records: Readonly<Record<ObjectType, readonly RecordModel[]>>;
}

const counts = {
  account: testSize({ short: 24, soak: 60 }),
  contact: testSize({ short: 24, soak: 60 }),
  opportunity: testSize({ short: 40, soak: 100 }),
};
const domainCount = testSize({ short: 10, soak: 24 });

const tables = { account: 'accounts', contact: 'contacts', opportunity: 'opportunities' } as const;

/** Sets the creation times, change times and versions of the drawn records. Many share an instant. */
const writeHistory = async (
  { database, setup }: Writing,
  objectType: ObjectType,
  written: readonly RecordModel[],
): Promise<void> => {
  const text = `UPDATE ${tables[objectType]} r SET created_at = x.created_at, updated_at = x.updated_at, version = x.version
    FROM unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::int[]) AS x (id, created_at, updated_at, version)
    WHERE r.organization_id = $1 AND r.id = x.id`;
  const instants = (name: string) => written.map(({ system }) => new Date(Number(system[name])).toISOString());
  const values = [
    written.map(({ id }) => id),
    instants('created_at'),
    instants('updated_at'),
    written.map(({ system }) => system['version']),
  ];
  await database.query(setup.organizationId, { text, values });
};

/** Keeps the records that were new, because two draws may have the same natural key. */
const writeEach = async <Model extends RecordModel>(
  writing: Writing,
  objectType: ObjectType,
  seed: number,
  write: (draw: RecordDraw, index: number) => Promise<Model | null>,
): Promise<Model[]> => {
  const arbitrary = drawRecord(writing.setup, objectType);
  const written: Model[] = [];
  for (const [index, draw] of fc.sample(arbitrary, { seed, numRuns: counts[objectType] }).entries()) {
    const model = await write(draw, index);
    if (model !== null) written.push(model);
  }
  await writeHistory(writing, objectType, written);
  return written;
};

/** Defines fields and writes records. The same seed gives the same ones. */
export const makeWorld = async (
  database: AdministrationDatabase,
  organization: TestOrganization,
  seed: number,
): Promise<World> => {
  await defineFields(organization);
  await database.prisma.organization.update({ where: { id: organization.id }, data: { freemail: 'skip' } });
  await database.prisma.member.createMany({
    data: members.map((email) => ({ id: crypto.randomUUID(), organizationId: organization.id, email, name: email })),
  });
  const writing = { database, setup: await loadSetup(database, organization.id) };
  const accounts = await writeEach<AccountModel>(writing, 'account', seed, (draw, index) =>
    writeAccount(writing, draw, index),
  );
  const byDomain = new Map(accounts.map((account) => [account.domain, account]));
  const contacts = await writeEach<ContactModel>(writing, 'contact', seed + 1, (draw, index) =>
    writeContact(writing, draw, index, accounts[index % domainCount]?.domain ?? '', byDomain),
  );
  const taken = new Set<string>();
  const opportunities = await writeEach(writing, 'opportunity', seed + 2, (draw) =>
    writeDeal(writing, draw, {
      accounts: accounts.slice(0, domainCount),
      contacts: contacts.slice(0, domainCount),
      byDomain,
      taken,
    }),
  );
  return { setup: writing.setup, records: { account: accounts, contact: contacts, opportunity: opportunities } };
};
