import type { TestDatabase } from '@crm/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createMigratedDatabase } from './support/database.js';
import { readSchema } from './support/read-datamodel.js';
import { findSchemaDrift } from './support/schema-drift.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createMigratedDatabase();
});
afterAll(() => database.drop());

test('the migrations create the tables of schema.prisma', async () => {
  expect(await findSchemaDrift(database.url, await readSchema())).toEqual([]);
});

test('finds every kind of difference', async () => {
  let schema = await readSchema();
  const change = (place: RegExp | string, text: string): void => {
    const changed = schema.replace(place, text);
    expect(changed).not.toBe(schema);
    schema = changed;
  };
  change(/^model Note \{/m, 'model Note {\n  mood String?\n\n  @@index([organizationId, title])');
  change(/(name +String)\n(?=[^}]*@@map\("pipelines"\))/, '$1 @default("x")\n');
  change(/(color +String)\n/, '$1?\n');
  change(/(amount +Decimal\?) @db\.Decimal\(19, 4\)/, '$1 @db.Decimal(19, 2)');
  change('  @@index([organizationId, contactId, noteId])\n', '');
  change('@@unique([organizationId, pipelineId, label])', '@@unique([organizationId, label])');
  change(/(owner .*)onDelete: Restrict/, '$1onDelete: Cascade');
  expect((await findSchemaDrift(database.url, schema)).sort()).toEqual([
    '+ column notes.mood text',
    '+ column opportunities.amount numeric(19,2)',
    "+ column pipelines.name text not null default 'x'::text",
    '+ column stages.color text',
    '+ index CREATE INDEX notes_organization_id_title_idx ON notes USING btree (organization_id, title)',
    '+ index CREATE UNIQUE INDEX stages_organization_id_label_key ON stages USING btree (organization_id, label)',
    '+ key opportunities FOREIGN KEY (organization_id, owner_id) REFERENCES members(organization_id, id) ON DELETE CASCADE',
    '- column opportunities.amount numeric(19,4)',
    '- column pipelines.name text not null',
    '- column stages.color text not null',
    '- index CREATE INDEX note_contacts_organization_id_contact_id_note_id_idx ON note_contacts USING btree (organization_id, contact_id, note_id)',
    '- index CREATE UNIQUE INDEX stages_organization_id_pipeline_id_label_key ON stages USING btree (organization_id, pipeline_id, label)',
    '- key opportunities FOREIGN KEY (organization_id, owner_id) REFERENCES members(organization_id, id) ON DELETE RESTRICT',
  ]);
});
