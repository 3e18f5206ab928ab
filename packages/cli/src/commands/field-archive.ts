import { updateFieldChange } from '@crm/db';
import { objectTypes, propertyName, type ObjectType } from '@crm/domain';
import { Option, type Command } from 'commander';

import { requireField } from '../administration/find-setup.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

interface FieldArchiveOptions extends OrganizationOptions {
  readonly object: ObjectType;
}

const addCommand = (parent: Command, context: CliContext, name: 'archive' | 'restore', help: string): void => {
  const isActive = name === 'restore';
  const command = parent
    .command(name)
    .description(isActive ? 'take an archived custom field back into use' : 'take a custom field out of use')
    .argument('<slug>', 'its name in requests')
    .addOption(new Option('--object <object>', 'the object that has it').choices(objectTypes).makeOptionMandatory())
    .addHelpText('after', `\nExample:\n  $ crm field ${name} --org ID --object opportunity lead_source\n\n${help}`);
  withOrganizationOptions(command).action(async (slug: string, options: FieldArchiveOptions) => {
    const field = await withAdministration(context, options, async ({ administration, setup }) => {
      const found = requireField(await setup(options.org), options.object, slug);
      const onProgress = (done: number) => context.stderr.write(`${done} opportunities updated\n`);
      await administration.changeSetup(options.org, [updateFieldChange(found, { isActive })], onProgress);
      return found;
    });
    const json = { field_id: field.id, slug, property_name: propertyName(slug), is_active: isActive };
    const text = `Field ${slug} ${name}d. The gateways apply the change within a second.`;
    printResult(context, options, { json, text });
  });
};

/** Adds `crm field archive`. */
export const addFieldArchiveCommand = (parent: Command, context: CliContext): void =>
  addCommand(
    parent,
    context,
    'archive',
    'Requests cannot use an archived field. Its values stay and come back with crm field restore. Its slug stays reserved.',
  );

/** Adds `crm field restore`. */
export const addFieldRestoreCommand = (parent: Command, context: CliContext): void =>
  addCommand(parent, context, 'restore', 'The field is as it was before crm field archive, with all values.');
