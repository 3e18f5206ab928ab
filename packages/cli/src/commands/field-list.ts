import { objectTypes, propertyName, type ObjectType } from '@crm/domain';
import { Option, type Command } from 'commander';

import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { textTable } from '../administration/text-table.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

interface FieldListOptions extends OrganizationOptions {
  readonly object?: ObjectType;
  readonly archived?: boolean;
}

const examples = `
Examples:
  $ crm field list --org ID
  $ crm field list --org ID --object opportunity --json`;

/** Adds `crm field list`. */
export const addFieldListCommand = (field: Command, context: CliContext): void => {
  const command = field
    .command('list')
    .description('list custom fields')
    .addOption(new Option('--object <object>', 'only those of one object').choices(objectTypes))
    .option('--archived', 'include archived fields')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (options: FieldListOptions) => {
    const setup = await withAdministration(context, options, (session) => session.setup(options.org));
    const objects = options.object === undefined ? objectTypes : [options.object];
    const fields = objects
      .flatMap((object) => setup.fields.filter(({ objectType }) => objectType === object))
      .filter(({ isActive }) => isActive || options.archived === true)
      .map((definition) => ({
        field_id: definition.id,
        object: definition.objectType,
        slug: definition.slug,
        property_name: propertyName(definition.slug),
        name: definition.name,
        attribute_type: definition.attributeType,
        metadata: definition.metadata,
        position: definition.position,
        is_hidden: definition.isHidden,
        is_active: definition.isActive,
        pipeline_ids: definition.pipelineIds,
      }));
    const cells = fields.map((row) => [
      row.object,
      row.slug,
      row.attribute_type,
      row.name,
      [...(row.is_hidden ? ['hidden'] : []), ...(row.is_active ? [] : ['archived'])].join(', '),
    ]);
    const empty = `There is none yet: crm field define --org ${options.org} --object opportunity NAME --type TYPE`;
    const text = textTable(['OBJECT', 'SLUG', 'TYPE', 'NAME', ''], cells, empty);
    printResult(context, options, { json: { fields }, text });
  });
};
