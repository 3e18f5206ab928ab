import type { Field, Member, PipelineDetail, Stage } from '@crm/client';
import {
  createField,
  createFieldOption,
  createMember,
  createPipeline,
  createStage,
  deleteField,
  deleteMember,
  deleteStage,
  updateField,
  updateFieldOption,
  updateMember,
  updatePipeline,
  updateStage,
} from '@crm/contract';
import { optionColors, slugFromName } from '@crm/domain';

import { CliError, usageError } from '../errors.js';
import { findMember, findPipeline, listFields, listPipelines } from './lookup.js';
import type { SetupCommand } from './make-command.js';
import { moveAll } from './move-all.js';
import { nameFromEmail } from './plan/plan-members.js';

const pipeline = {
  show: ({ pipeline: { pipeline_id: id, name, is_active: isActive }, stages }: PipelineDetail) => ({
    json: { pipeline_id: id, name, is_active: isActive, stages },
    text: [
      `Pipeline ${name}${isActive ? '' : ', archived'}: ${id}`,
      ...stages.map(({ stage_id: stage, label }) => `  ${stage}  ${label}`),
    ].join('\n'),
  }),
};

const stage = {
  show: ({ stage: shown, start }: { readonly stage: Stage; readonly start?: string }) => {
    const states = [
      `position ${shown.stage_order}`,
      ...(shown.is_default ? ['default'] : []),
      ...(shown.is_active ? [] : ['archived']),
    ];
    const json = { ...shown, position: shown.stage_order };
    const next = start === undefined ? '' : `\nNew opportunities start in ${start}.`;
    return { json, text: `Stage ${[shown.label, ...states].join(', ')}: ${shown.stage_id}${next}` };
  },
};

const field = {
  show: ({ field: { name: slug, current_name: name, ...rest } }: { readonly field: Field }) => ({
    json: { ...rest, slug, name },
    text:
      rest.is_active === false
        ? `Field ${name}, archived: ${rest.field_id ?? ''}`
        : `Field ${name}: ${rest.field_id ?? ''}\nIn requests: "custom_fields": {"${slug}": …}, or "${rest.property_name}" beside the other fields`,
  }),
};

const member = {
  show: ({ member: shown }: { readonly member: Member }) => ({
    json: { ...shown },
    text: `${shown.email} (${shown.name}): ${shown.member_id}`,
  }),
};

/** The set-up commands of one operation each. */
export const setupCommands: readonly SetupCommand[] = [
  {
    ...pipeline,
    name: 'pipeline create',
    contract: createPipeline,
    argument: { property: 'name' },
    call: (client, _id, body) => client.pipelines.create(body),
    findExisting: async (client, id) => {
      const { stages, ...found } = await findPipeline(client, id);
      return { pipeline: found, stages };
    },
    description: 'create a pipeline with its stages',
    help: `
Examples:
  $ crm pipeline create --org ID "New business" --stage Prospecting Engaging Won Lost
  $ crm pipeline create --org ID Renewals --stage "Due:60%" "In talks:80%" "Renewed:100%" "Lost:0%" --default-stage Due

Next: crm field define --org ID --object opportunity NAME --type TYPE --pipeline PIPELINE`,
  },
  {
    ...pipeline,
    name: 'pipeline update',
    contract: updatePipeline,
    argument: { entry: 'pipeline' },
    call: (client, id, body) => client.pipelines.update(id, body),
    description: 'rename, move, archive or restore a pipeline',
    help: `
Examples:
  $ crm pipeline update --org ID Sales --name "New business" --position 1
  $ crm pipeline update --org ID Renewals --archive

An archived pipeline gets no new opportunities. Its opportunities can still be read and changed.`,
  },
  {
    ...stage,
    name: 'stage add',
    contract: createStage,
    argument: { property: 'label' },
    parent: 'pipeline',
    call: (client, id, body) => client.pipelines.createStage(id, body),
    findExisting: async (client, id) => ({
      stage: (await listPipelines(client)).flatMap(({ stages }) => stages).find((one) => one.stage_id === id),
    }),
    description: 'add a stage to a pipeline',
    help: `
Examples:
  $ crm stage add --org ID --pipeline Sales "Contract sent" --position 3 --probability 80
  $ crm stage add --org ID --pipeline Sales Won --if-not-exists`,
  },
  {
    ...stage,
    name: 'stage update',
    contract: updateStage,
    argument: { entry: 'stage' },
    call: async (client, id, body: { readonly is_active?: boolean }) => {
      const { data } = await moveAll(() => client.pipelines.updateStage(id, body));
      if (body.is_active !== false) return { data };
      const all = (await listPipelines(client)).find(({ stages }) => stages.some((one) => one.stage_id === id))?.stages;
      const active = all?.filter((one) => one.is_active) ?? [];
      return { data: { ...data, start: (active.find((one) => one.is_default) ?? active[0])?.label } };
    },
    inUse: 'Give --move-to STAGE',
    description: 'rename, change, move, archive or restore a stage',
    help: `
Examples:
  $ crm stage update --org ID --pipeline Sales Engaging --label Negotiating --probability 60
  $ crm stage update --org ID --pipeline Sales Prospecting --default --position 1
  $ crm stage update --org ID --pipeline Sales "On hold" --archive --move-to Lost
  $ crm stage update --org ID --pipeline Sales "On hold" --restore

A new label appears in all lists of opportunities. An archived stage can be read but gets no opportunities. If it still has some,
--move-to names the stage that gets them. They move in small steps; each move counts as an update.`,
  },
  {
    name: 'stage delete',
    contract: deleteStage,
    argument: { entry: 'stage' },
    call: (client, id) => client.pipelines.deleteStage(id),
    inUse: 'Move them first: crm stage update --archive --move-to STAGE',
    show: ({ id }: { readonly id: string }) => ({ json: { stage_id: id }, text: 'The stage is deleted.' }),
    description: 'delete a stage without opportunities',
    help: '\nExample:\n  $ crm stage delete --org ID --pipeline Sales "On hold"',
  },
  {
    ...field,
    name: 'field define',
    contract: createField,
    argument: { property: 'current_name' },
    call: (client, _id, body) => client.fields.create(body),
    optional: ['slug'],
    prepare: (body) => {
      const slug = body['slug'] ?? slugFromName(String(body['current_name']));
      if (slug !== null) return { ...body, slug };
      throw usageError(
        `--slug: no slug can be derived from "${String(body['current_name'])}". Give one, such as lead_source.`,
      );
    },
    findExisting: async (client, id, { object, attribute_type: type }) => {
      const found = (await listFields(client, object as 'account')).find((one) => one.field_id === id);
      if (found?.attribute_type === type) return { field: found };
      throw new CliError(
        `The field ${found?.name ?? id} exists and has the type ${found?.attribute_type ?? 'of another object'}, not ${String(type)}. Give another --slug.`,
      );
    },
    description: 'define a custom field',
    help: `
Examples:
  $ crm field define --org ID --object opportunity "Lead source" --type select \\
      --option web=Website:blue --option event=Event:#ff8800 --option Referral
  $ crm field define --org ID --object opportunity "Signed on" --type date --pipeline Sales
  $ crm field define --org ID --object account "Yearly revenue" --type currency --currency EUR
  $ crm field define --org ID --object contact "Internal score" --type rating --max 10 --hidden

An option is value=Label:color. The value (default: the label) and the color are optional. Colors: ${optionColors.join(', ')}, #rrggbb.
Without --slug, the slug is derived from the name.
Next: send values under custom_fields, as "custom_fields": {"lead_source": "web"}.`,
  },
  {
    ...field,
    name: 'field update',
    contract: updateField,
    argument: { entry: 'field' },
    call: (client, id, body) => client.fields.update(id, body),
    description: 'rename, reorder, hide, show, archive or restore a custom field',
    help: `
Examples:
  $ crm field update --org ID --object opportunity lead_source --name "Where from"
  $ crm field update --org ID --object opportunity lead_source --archive

Requests cannot use an archived field. Its values stay and come back with --restore. Its slug stays reserved. For its options:
crm option --help. The slug, type and pipelines of a field cannot be changed.`,
  },
  {
    name: 'field delete',
    contract: deleteField,
    argument: { entry: 'field' },
    call: (client, id) => client.fields.delete(id),
    show: ({ id }: { readonly id: string }) => ({ json: { field_id: id }, text: 'The field is deleted.' }),
    description: 'delete a custom field that no record has a value of',
    help: `
Example:
  $ crm field delete --org ID --object opportunity lead_source

Its slug can be used again. To take a field with values out of use: crm field update --archive`,
  },
  {
    ...field,
    name: 'option add',
    contract: createFieldOption,
    argument: { property: 'label' },
    parent: 'field',
    call: (client, id, body) => client.fields.createOption(id, body),
    description: 'add an option to a select, radio or multi_select field',
    help: '\nExample:\n  $ crm option add --org ID --object opportunity --field lead_source Partner --value partner --color green',
  },
  {
    ...field,
    name: 'option update',
    contract: updateFieldOption,
    argument: { property: 'value' },
    parent: 'field',
    call: (client, id, body) => client.fields.updateOption(id, body),
    description: 'rename, move, archive or restore an option',
    help: `
Examples:
  $ crm option update --org ID --object opportunity --field lead_source event --label Fair --position 1
  $ crm option update --org ID --object opportunity --field lead_source event --archive

Archived options can still be read but no longer written.`,
  },
  {
    ...member,
    name: 'member add',
    contract: createMember,
    argument: { property: 'email' },
    call: (client, _id, body) => client.members.create(body),
    optional: ['name'],
    prepare: (body) => ({ name: nameFromEmail(String(body['email'])), ...body }),
    findExisting: async (client, id) => ({ member: await findMember(client, id) }),
    description: 'add a member to an organization',
    help: `
Examples:
  $ crm member add --org ID ann@acme.com --name "Ann Lee"
  $ crm member add --org ID ann@acme.com --if-not-exists

Without --name, the name is derived from the address. Members can own opportunities (owner_email) and be values of team fields.
To add several at once: crm apply --help`,
  },
  {
    ...member,
    name: 'member update',
    contract: updateMember,
    argument: { entry: 'member' },
    call: (client, id, body) => client.members.update(id, body),
    description: 'change the name or address of a member, or restore a former member',
    help: `
Examples:
  $ crm member update --org ID ann@acme.com --name "Ann Lee"
  $ crm member update --org ID ann@acme.com --email ann.lee@acme.com
  $ crm member update --org ID ann@acme.com --restore

A restored member can own new opportunities again.`,
  },
  {
    name: 'member remove',
    contract: deleteMember,
    argument: { entry: 'member' },
    call: (client, id, query) => moveAll(() => client.members.delete(id, query)),
    inUse: 'Give --keep-owner or --reassign EMAIL',
    show: ({ id }: { readonly id: string }, { opportunities }) => ({
      json: { member_id: id, status: opportunities === 'keep' ? 'former' : 'removed' },
      text: 'The person is no longer a member.',
    }),
    description: 'remove a member from an organization',
    help: `
Examples:
  $ crm member remove --org ID ann@acme.com --reassign bob@acme.com
  $ crm member remove --org ID ann@acme.com --keep-owner

If the member owns opportunities, give one of these options:
  --keep-owner     the opportunities keep their owner, who becomes a former member and gets no new ones
  --reassign       another member gets them, in small steps; each move counts as an update. Then the member is deleted
Values of team fields keep the id of a deleted member until they are changed.`,
  },
];
