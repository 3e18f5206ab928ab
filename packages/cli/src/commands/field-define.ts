import {
  attributeTypes,
  objectTypes,
  optionColors,
  parseSlug,
  propertyName,
  slugFromName,
  type AttributeType,
  type FieldMetadata,
  type ObjectType,
  type Result,
} from '@crm/domain';
import type { OrganizationSetup, SetupField } from '@crm/db';
import { Option, type Command } from 'commander';

import { readFieldMetadata } from '../administration/field-metadata.js';
import { readName } from '../administration/find-setup.js';
import { readOption, readOptionsFile } from '../administration/option-syntax.js';
import { uuids, withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';
import { CliError, usageError } from '../errors.js';
import { wholeNumber } from '../options.js';

interface FieldDefineOptions extends OrganizationOptions {
  readonly object: ObjectType;
  readonly type: AttributeType;
  readonly slug?: string;
  readonly option?: readonly string[];
  readonly optionsFile?: string;
  readonly currency?: string;
  readonly max?: number;
  readonly pipeline?: readonly string[];
  readonly hidden?: boolean;
  readonly position?: number;
  readonly ifNotExists?: boolean;
}

const examples = `
Examples:
  $ crm field define --org ID --object opportunity "Lead source" --type select \\
      --option web=Website:blue --option event=Event:#ff8800 --option Referral
  $ crm field define --org ID --object opportunity "Signed on" --type date --pipeline PIPELINE_ID
  $ crm field define --org ID --object account "Yearly revenue" --type currency --currency EUR
  $ crm field define --org ID --object contact "Internal score" --type rating --max 10 --hidden

An option is value=Label:color. The value (default: the label) and the color are optional. Colors: ${optionColors.join(', ')}, #rrggbb.
The slug is the name of the field in requests and cannot be changed. The display name can be changed later.
Next: send values under custom_fields, as "custom_fields": {"lead_source": "web"}.`;

/** Adds `crm field define`. */
export const addFieldDefineCommand = (field: Command, context: CliContext): void => {
  const command = field
    .command('define')
    .description('define a custom field')
    .argument('<name>', 'its display name')
    .addOption(new Option('--object <object>', 'the object that has it').choices(objectTypes).makeOptionMandatory())
    .addOption(new Option('--type <type>', 'the type of its values').choices(attributeTypes).makeOptionMandatory())
    .option('--slug <slug>', 'its name in requests (default: derived from the name)')
    .option('--option <option...>', 'an option of a select, radio or multi_select: value=Label:color')
    .option('--options-file <file>', 'a file of options, one per line')
    .option('--currency <code>', 'the currency, such as EUR')
    .option('--max <n>', 'the highest rating (default: 5)', wholeNumber(1, 100))
    .option('--pipeline <id...>', 'the pipelines that it applies to (default: all)', uuids)
    .option('--hidden', 'leave it out of responses unless a request names it')
    .option('--position <n>', 'its position among the fields, from 1 (default: last)', wholeNumber(0, 100_000))
    .option('--if-not-exists', 'do nothing if a field with this slug exists')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action((name: string, options: FieldDefineOptions) =>
    defineField(context, name, options),
  );
};

const defineField = async (context: CliContext, input: string, options: FieldDefineOptions): Promise<void> => {
  const name = readName('<name>', input);
  const metadata = await readMetadata(options);
  const pipelineIds = options.pipeline ?? null;
  if (pipelineIds !== null && options.object !== 'opportunity')
    throw usageError('--pipeline is for opportunity fields.');
  const { id, slug, status } = await withAdministration(context, options, async ({ administration, setup }) => {
    const setUp = await setup(options.org);
    checkPipelines(setUp, pipelineIds ?? []);
    const slug = chooseSlug(name, options);
    const existing = setUp.fields.find((field) => field.objectType === options.object && field.slug === slug);
    if (existing !== undefined && options.ifNotExists === true) {
      checkSame(existing, options.type);
      return { id: existing.id, slug, status: 'exists' };
    }
    const field = await administration.defineField({
      organizationId: options.org,
      objectType: options.object,
      slug,
      name,
      attributeType: options.type,
      metadata,
      position: options.position,
      isHidden: options.hidden === true,
      pipelineIds,
    });
    return { id: field.id, slug, status: 'created' };
  });
  const json = {
    ...{ field_id: id, slug, property_name: propertyName(slug), name },
    ...{ attribute_type: options.type, metadata, status },
  };
  const text = `Field ${name}: ${id}\nIn requests: "custom_fields": {"${slug}": …}, or "${propertyName(slug)}" beside the other fields`;
  printResult(context, options, { json, text });
};

const valid = <T>(what: string, result: Result<T>): T => {
  if (result.ok) return result.value;
  throw usageError(`${what}: ${result.message}`);
};

const readMetadata = async (options: FieldDefineOptions): Promise<FieldMetadata | null> => {
  const listed = options.optionsFile === undefined ? [] : await readOptionsFile(options.optionsFile);
  const given = [...(options.option ?? []).map(readOption), ...listed];
  const metadata = {
    ...(given.length > 0 ? { options: given } : {}),
    ...(options.currency === undefined ? {} : { currency: options.currency }),
    ...(options.max === undefined ? {} : { max: options.max }),
  };
  return readFieldMetadata(options.type, metadata);
};

const chooseSlug = (name: string, options: FieldDefineOptions): string => {
  if (options.slug !== undefined) return valid('--slug', parseSlug(options.slug));
  const slug = slugFromName(name);
  if (slug !== null) return slug;
  throw usageError(`--slug: no slug can be derived from "${name}". Give one, such as --slug lead_source.`);
};

const checkSame = ({ slug, attributeType }: SetupField, type: AttributeType): void => {
  if (attributeType === type) return;
  throw new CliError(`The field ${slug} exists and has the type ${attributeType}, not ${type}. Give another --slug.`);
};

const checkPipelines = (setup: OrganizationSetup, pipelineIds: readonly string[]): void => {
  for (const id of pipelineIds) {
    if (setup.findPipeline(id) === undefined) throw new CliError(`There is no pipeline ${id}. See: crm pipeline list`);
  }
};
