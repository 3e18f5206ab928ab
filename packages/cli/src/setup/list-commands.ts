import { objectTypes, type ObjectType } from '@crm/domain';
import { Option } from 'commander';

import { textTable } from '../administration/text-table.js';
import { objectChoices } from '../import/targets.js';
import { listFields, listMembers, listPipelines } from './lookup.js';
import { setupCommand, type SetupOptions } from './session.js';

/** Adds `crm pipeline list`. */
export const addPipelineListCommand = setupCommand({
  name: 'list',
  description: 'list pipelines and their stages',
  help: '\nExample:\n  $ crm pipeline list --org ID',
  run: async ({ client }) => {
    const pipelines = await listPipelines(client);
    const cells = pipelines.flatMap(({ pipeline_id: id, name, is_active: isActive, stages }) =>
      stages.map((stage) => {
        const state = stage.is_active ? (stage.is_default ? ' (default)' : '') : ' (archived)';
        return [id, isActive ? name : `${name} (archived)`, stage.stage_id, `${stage.label}${state}`, stage.outcome];
      }),
    );
    const empty = 'There is none yet: crm pipeline create NAME --stage LABEL…';
    return { json: { pipelines }, text: textTable(['PIPELINE', 'NAME', 'STAGE', 'LABEL', 'OUTCOME'], cells, empty) };
  },
});

interface FieldListOptions extends SetupOptions {
  readonly object?: ObjectType;
  readonly archived?: boolean;
}

/** Adds `crm field list`. */
export const addFieldListCommand = setupCommand({
  name: 'list',
  description: 'list custom fields',
  help: '\nExamples:\n  $ crm field list --org ID\n  $ crm field list --org ID --object opportunity --json',
  define: (command) =>
    command
      .addOption(objectChoices(new Option('--object <object>', 'only those of one object'), objectTypes))
      .option('--archived', 'include archived fields'),
  run: async ({ client }, { object, archived }: FieldListOptions) => {
    const objects = object === undefined ? objectTypes : [object];
    const all = await Promise.all(objects.map((one) => listFields(client, one)));
    const fields = all
      .flat()
      .filter(({ is_active: isActive }) => isActive !== false || archived === true)
      .map(({ name: slug, current_name: name, ...field }) => ({ ...field, slug, name }));
    const cells = fields.map((row) => {
      const states = [...(row.is_hidden === true ? ['hidden'] : []), ...(row.is_active === false ? ['archived'] : [])];
      return [row.object, row.slug, row.attribute_type, row.name, states.join(', ')];
    });
    const empty = 'There is none yet: crm field define --object opportunity NAME --type TYPE';
    return { json: { fields }, text: textTable(['OBJECT', 'SLUG', 'TYPE', 'NAME', ''], cells, empty) };
  },
});

/** Adds `crm member list`. */
export const addMemberListCommand = setupCommand({
  name: 'list',
  description: 'list the members of an organization, including former members',
  help: '\nExample:\n  $ crm member list --org ID',
  run: async ({ client }) => {
    const members = await listMembers(client);
    const cells = members.map((row) => [row.member_id, row.email, row.name, row.is_active ? '' : 'former']);
    const empty = 'There is none yet: crm member add EMAIL';
    return { json: { members }, text: textTable(['MEMBER', 'EMAIL', 'NAME', ''], cells, empty) };
  },
});
