import { objectTypes, type ObjectType } from '@crm/domain';
import { Option, type Command } from 'commander';

import { textTable } from '../administration/text-table.js';
import { printResult, type CliContext } from '../cli-context.js';
import { listFields, listMembers, listPipelines } from './lookup.js';
import { withSetup, withSetupOptions, type SetupOptions } from './session.js';
import { objectChoices } from '../import/targets.js';

/** Adds `crm pipeline list`. */
export const addPipelineListCommand = (group: Command, context: CliContext): void => {
  const command = group
    .command('list')
    .description('list pipelines and their stages')
    .addHelpText('after', '\nExample:\n  $ crm pipeline list --org ID');
  withSetupOptions(command).action(async (options: SetupOptions) => {
    const pipelines = await withSetup(context, options, ({ client }) => listPipelines(client));
    const cells = pipelines.flatMap(({ pipeline_id: id, name, is_active: isActive, stages }) =>
      stages.map((stage) => {
        const state = stage.is_active ? (stage.is_default ? ' (default)' : '') : ' (archived)';
        return [id, isActive ? name : `${name} (archived)`, stage.stage_id, `${stage.label}${state}`];
      }),
    );
    const empty = 'There is none yet: crm pipeline create NAME --stage LABEL…';
    const text = textTable(['PIPELINE', 'NAME', 'STAGE', 'LABEL'], cells, empty);
    printResult(context, options, { json: { pipelines }, text });
  });
};

interface FieldListOptions extends SetupOptions {
  readonly object?: ObjectType;
  readonly archived?: boolean;
}

/** Adds `crm field list`. */
export const addFieldListCommand = (group: Command, context: CliContext): void => {
  const command = group
    .command('list')
    .description('list custom fields')
    .addOption(objectChoices(new Option('--object <object>', 'only those of one object'), objectTypes))
    .option('--archived', 'include archived fields')
    .addHelpText(
      'after',
      '\nExamples:\n  $ crm field list --org ID\n  $ crm field list --org ID --object opportunity --json',
    );
  withSetupOptions(command).action(async (options: FieldListOptions) => {
    const objects = options.object === undefined ? objectTypes : [options.object];
    const all = await withSetup(context, options, ({ client }) =>
      Promise.all(objects.map((object) => listFields(client, object))),
    );
    const fields = all
      .flat()
      .filter(({ is_active: isActive }) => isActive !== false || options.archived === true)
      .map(({ name: slug, current_name: name, ...field }) => ({ ...field, slug, name }));
    const cells = fields.map((row) => [
      ...[row.object, row.slug, row.attribute_type, row.name],
      [...(row.is_hidden === true ? ['hidden'] : []), ...(row.is_active === false ? ['archived'] : [])].join(', '),
    ]);
    const empty = 'There is none yet: crm field define --object opportunity NAME --type TYPE';
    const text = textTable(['OBJECT', 'SLUG', 'TYPE', 'NAME', ''], cells, empty);
    printResult(context, options, { json: { fields }, text });
  });
};

/** Adds `crm member list`. */
export const addMemberListCommand = (group: Command, context: CliContext): void => {
  const command = group
    .command('list')
    .description('list the members of an organization, including former members')
    .addHelpText('after', '\nExample:\n  $ crm member list --org ID');
  withSetupOptions(command).action(async (options: SetupOptions) => {
    const members = await withSetup(context, options, ({ client }) => listMembers(client));
    const cells = members.map((row) => [row.member_id, row.email, row.name, row.is_active ? '' : 'former']);
    const text = textTable(['MEMBER', 'EMAIL', 'NAME', ''], cells, 'There is none yet: crm member add EMAIL');
    printResult(context, options, { json: { members }, text });
  });
};
