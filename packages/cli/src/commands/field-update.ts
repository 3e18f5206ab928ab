import type { FieldChange } from '@crm/db';
import {
  normalizeName,
  objectTypes,
  propertyName,
  type CustomFieldDefinition,
  type FieldMetadata,
  type ObjectType,
} from '@crm/domain';
import { Option, type Command } from 'commander';

import { changeOptions } from '../administration/change-options.js';
import { requireField } from '../administration/find-setup.js';
import { readFieldMetadata } from '../administration/field-metadata.js';
import { readOption } from '../administration/option-syntax.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';
import { usageError } from '../errors.js';
import { wholeNumber } from '../options.js';

interface FieldUpdateOptions extends OrganizationOptions {
  readonly object: ObjectType;
  readonly name?: string;
  readonly option?: readonly string[];
  readonly archiveOption?: readonly string[];
  readonly restoreOption?: readonly string[];
  readonly max?: number;
  readonly hidden?: boolean;
  readonly visible?: boolean;
  readonly position?: number;
}

const examples = `
Examples:
  $ crm field update --org ID --object opportunity lead_source --name "Where from"
  $ crm field update --org ID --object opportunity lead_source --option partner=Partner:green --archive-option event
  $ crm field update --org ID --object contact internal_score --hidden

--option with an existing value changes the label and color of that option. With a new value it adds an option at the end.
Archived options can still be read but no longer written. The slug, type and pipelines of a field cannot be changed.`;

/** Adds `crm field update`. */
export const addFieldUpdateCommand = (field: Command, context: CliContext): void => {
  const command = field
    .command('update')
    .description('rename, reorder, hide or show a custom field, and change its options')
    .argument('<slug>', 'its name in requests')
    .addOption(new Option('--object <object>', 'the object that has it').choices(objectTypes).makeOptionMandatory())
    .option('--name <name>', 'its new display name')
    .option('--option <option...>', 'an option to add or change: value=Label:color')
    .option('--archive-option <value...>', 'values of options to archive')
    .option('--restore-option <value...>', 'values of archived options to restore')
    .option('--max <n>', 'the highest rating', wholeNumber(1, 100))
    .addOption(new Option('--hidden', 'leave it out of responses unless a request names it').conflicts('visible'))
    .option('--visible', 'include it in responses')
    .option('--position <n>', 'its position among the fields, from 1', wholeNumber(0, 100_000))
    .addHelpText('after', examples);
  withOrganizationOptions(command).action((slug: string, options: FieldUpdateOptions) =>
    updateField(context, slug, options),
  );
};

const updateField = async (context: CliContext, slug: string, options: FieldUpdateOptions): Promise<void> => {
  const change = await withAdministration(context, options, async ({ administration, setup }) => {
    const definition = requireField(await setup(options.org), options.object, slug);
    const change = readChange(definition, options);
    await administration.updateField(change, (done) => context.stderr.write(`${done} opportunities updated\n`));
    return { ...change, id: definition.id };
  });
  const json = { field_id: change.id, slug, property_name: propertyName(slug) };
  printResult(context, options, {
    json,
    text: `Field ${slug} changed. The gateways apply the change within a second.`,
  });
};

const readName = (input: string | undefined): string | undefined => {
  if (input === undefined) return undefined;
  const name = normalizeName(input);
  if (!name.ok) throw usageError(`--name: ${name.message}`);
  return name.value;
};

const readMetadata = (definition: CustomFieldDefinition, given: FieldUpdateOptions): FieldMetadata | undefined => {
  const { option = [], archiveOption = [], restoreOption = [], max } = given;
  const options = definition.metadata?.options ?? [];
  const isOptionChange = option.length + archiveOption.length + restoreOption.length > 0;
  if (!isOptionChange && max === undefined) return undefined;
  const changed = {
    ...(isOptionChange && { options: changeOptions(options, option.map(readOption), archiveOption, restoreOption) }),
    ...(max !== undefined && { max }),
  };
  return readFieldMetadata(definition.attributeType, changed) ?? undefined;
};

const readChange = (definition: CustomFieldDefinition, options: FieldUpdateOptions): FieldChange => {
  const isHidden = options.hidden === true ? true : options.visible === true ? false : undefined;
  const name = readName(options.name);
  const metadata = readMetadata(definition, options);
  if ([name, metadata, options.position, isHidden].every((value) => value === undefined)) {
    throw usageError('No change is given. Choose from the options in --help.');
  }
  const { organizationId, objectType, slug } = { organizationId: options.org, ...definition };
  return { organizationId, objectType, slug, name, metadata, position: options.position, isHidden };
};
