import { CrmConflictError, type CrmClient } from '@crm/client';
import type { OperationContract } from '@crm/contract';
import { type ObjectType, objectTypes } from '@crm/domain';
import { type Command, InvalidArgumentError, Option } from 'commander';

import { gatewayCommand, refusal } from '../api/gateways.js';
import type { AddCommand, Result } from '../command.js';
import { CliError, usageError } from '../errors.js';
import { findField, findMember, findPipeline, findStage, findWebhook } from './lookup.js';
import { readOption, readStages } from './option-syntax.js';
import { setupCommand, type SetupOptions } from './session.js';
import { objectChoices } from '../import/targets.js';

type Values = Readonly<Record<string, unknown>>;
type Given = SetupOptions & Values;

/** What the argument of a command names: a property of the body, or the entry to change. */
type Argument = { readonly property: string } | { readonly entry: keyof typeof entries };

/** A command that changes the setup or a webhook: an operation of the contract, and how a command line names its parts. */
export interface SetupCommand {
  /** The words of the command, such as `stage add`. */
  readonly name: string;
  /** Its body or query makes the options. */
  readonly contract: OperationContract;
  readonly argument: Argument;
  /** The entry that `{id}` of the path names, if it is not the one of the argument. */
  readonly parent?: 'pipeline' | 'field';
  /** Sends the call. Returns the `data` of the response. */
  readonly call: (client: CrmClient, id: string, input: never) => Promise<{ readonly data: object }>;
  readonly description: string;
  /** Further help, with examples. */
  readonly help: string;
  /** Required properties that `prepare` completes. */
  readonly optional?: readonly string[];
  /** Completes the body. @throws CliError (2) */
  readonly prepare?: (body: Values) => Values;
  /** For creates: finds the existing entry with an id, for `--if-not-exists`. */
  readonly findExisting?: (client: CrmClient, id: string, body: Values) => Promise<object>;
  /** What to do if opportunities still use the entry. */
  readonly inUse?: string;
  /** The object and the text to print. */
  readonly show: (data: never, body: Values) => { readonly json: Values; readonly text: string };
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** How a command line writes a property whose option is not just its name and a value. */
interface Rule {
  readonly flags: string;
  readonly description?: string;
  /** The flag for false, if the flag of `flags` is for true. */
  readonly off?: string;
  readonly value?: unknown;
  readonly read?: (given: never, client: CrmClient, options: Given) => unknown;
}

const readAll = (texts: readonly string[]): readonly string[] => (texts[0] === 'all' ? [] : texts);

const pipelineOf = (client: CrmClient, { pipeline }: Given) => findPipeline(client, String(pipeline));

const rules: Readonly<Record<string, Rule>> = {
  attribute_type: { flags: '--type <type>' },
  is_default: { flags: '--default', description: 'new deals start here' },
  is_hidden: { flags: '--hidden', description: 'reads leave it out unless fields names it', off: '--visible' },
  reinterpret_values: { flags: '--reinterpret-values' },
  is_active: { flags: '--restore', description: 'take it back into use', off: '--archive' },
  opportunities: { flags: '--keep-owner', description: 'the opportunities keep this owner', value: 'keep' },
  reassign_to: {
    flags: '--reassign <member>',
    read: async (text: string, client) => (await findMember(client, text)).member_id,
  },
  move_opportunities_to: {
    flags: '--move-to <stage>',
    description: 'label or id of the stage that gets its opportunities',
    read: async (text: string, client, options) => findStage(await pipelineOf(client, options), text).stage_id,
  },
  pipeline_ids: {
    flags: '--pipeline <pipeline...>',
    description: 'names or ids of the pipelines that it applies to (default: all)',
    read: (texts: readonly string[], client) =>
      Promise.all(texts.map(async (text) => (await findPipeline(client, text)).pipeline_id)),
  },
  stages: {
    flags: '--stage <label...>',
    description: 'the stages in order; "Label:50%" gives the chance of winning',
    read: (texts: readonly string[], _client, options) => readStages(texts, options['defaultStage'] as string),
  },
  options: {
    flags: '--option <option...>',
    description: 'an option of a select, radio or multi_select: value=Label:color',
    read: (texts: readonly string[]) => texts.map(readOption),
  },
  parked: { flags: '--parked', description: 'give up the event that failed of each parked record' },
  url: { flags: '--new-url <url>' },
  objects: { flags: '--object <object...>', description: 'only events of these objects, or all', read: readAll },
  changed: {
    flags: '--changed <field...>',
    description: 'of the updates, only those that changed one of these fields, or all',
    read: readAll,
  },
  types: { flags: '--type <type...>', description: 'only events of these types, or all', read: readAll },
};

/** A property on the command line: the `current_name` of a field is its name there. */
const shownName = (property: string): string => property.replace(/^current_/, '');

const isOfType = (schema: Schema, name: string): boolean => [schema.type ?? []].flat().includes(name);

/** `none` becomes null in the body. A parser cannot return null, because Commander replaces it with an empty text. */
const readNumber = (isNullable: boolean) => (text: string) => {
  if (isNullable && text === 'none') return text;
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError(isNullable ? 'Must be a number, or none.' : 'Must be a number.');
};

const sentence = (text: string): string => {
  const plain = text.replaceAll('`', '').replace(/\.$/, '');
  return /^[A-Z][a-z]/.test(plain) ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain;
};

/** The options of one property: one, or two for a property that is true or false. */
const optionsOf = (name: string, schema: Schema, isUpdate: boolean): readonly Option[] => {
  const rule = rules[name];
  const kebab = shownName(name).replaceAll('_', '-');
  const isFlag = isOfType(schema, 'boolean') || rule?.value !== undefined;
  const option = new Option(
    rule?.flags ?? (isFlag ? `--${kebab}` : `--${kebab} <${isOfType(schema, 'string') ? kebab : 'n'}>`),
    rule?.description ?? sentence(schema.description ?? ''),
  );
  if (isOfType(schema, 'number') || isOfType(schema, 'integer')) option.argParser(readNumber(isOfType(schema, 'null')));
  if (schema.enum !== undefined && !isFlag)
    objectChoices(
      option,
      schema.enum.filter((value) => value !== null),
    );
  if (rule?.off === undefined || !isUpdate) return [option];
  const off = new Option(rule.off, `the opposite of ${rule.flags}`).conflicts(option.attributeName());
  return [option, off];
};

const inputSchema = ({ contract }: SetupCommand): Schema => contract.body ?? contract.query ?? {};

/** The properties of an operation's input that are options of the command. */
const optionProperties = (command: SetupCommand): readonly (readonly [string, Schema])[] =>
  Object.entries(inputSchema(command).properties ?? {}).filter(
    ([name]) => !('property' in command.argument && command.argument.property === name),
  );

const isUpdate = ({ contract }: SetupCommand): boolean => contract.method === 'patch';
const isCreate = ({ findExisting }: SetupCommand): boolean => findExisting !== undefined;
const isRequired = (command: SetupCommand, name: string): boolean =>
  command.optional?.includes(name) !== true && (inputSchema(command).required ?? []).includes(name);

/** The option that sends a field of the body, for the errors of the API. */
const optionNameOf = (command: SetupCommand, field: string): string => {
  const [, name = '', rest = ''] = /^(\w+)(.*)$/.exec(field) ?? [];
  if ('property' in command.argument && command.argument.property === name) return `<${shownName(name)}>${rest}`;
  const schema = (inputSchema(command).properties ?? {})[name];
  const long = schema === undefined ? undefined : optionsOf(name, schema, false)[0]?.long;
  return `${long ?? name}${rest}`;
};

/** Reads the body from the options. */
const readInput = async (command: SetupCommand, client: CrmClient, text: string, options: Given): Promise<Values> => {
  const { argument } = command;
  const input: Record<string, unknown> = 'property' in argument ? { [argument.property]: text } : {};
  for (const [name, schema] of optionProperties(command)) {
    const [on, off] = optionsOf(name, schema, isUpdate(command));
    const given = on === undefined ? undefined : options[on.attributeName()];
    const rule = rules[name];
    if (off !== undefined && options[off.attributeName()] === true) input[name] = false;
    else if (given !== undefined) input[name] = rule?.read?.(given as never, client, options) ?? rule?.value ?? given;
    input[name] = await input[name];
    if (input[name] === 'none' && isOfType(schema, 'null')) input[name] = null;
  }
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
};

/** The entries that a command can change or add to: how help describes their name, and how their id is found by it. */
const entries = {
  pipeline: {
    name: 'its name or id',
    findId: async (client: CrmClient, text: string) => (await findPipeline(client, text)).pipeline_id,
  },
  stage: {
    name: 'its label or id',
    findId: async (client: CrmClient, text: string, options: Given) =>
      findStage(await pipelineOf(client, options), text).stage_id,
  },
  field: {
    name: 'its slug',
    findId: async (client: CrmClient, text: string, options: Given) =>
      (await findField(client, options['object'] as ObjectType, text)).field_id,
  },
  member: {
    name: 'email or id',
    findId: async (client: CrmClient, text: string) => (await findMember(client, text)).member_id,
  },
  webhook: {
    name: 'its id or URL',
    findId: async (client: CrmClient, text: string) => (await findWebhook(client, text)).webhook_id,
  },
} as const;

/** The id for `{id}` of the path. */
const idOf = async (
  { argument, parent }: SetupCommand,
  client: CrmClient,
  text: string,
  options: Given,
): Promise<string> => {
  if ('entry' in argument) return entries[argument.entry].findId(client, text, options);
  return parent === undefined ? '' : entries[parent].findId(client, String(options[parent]), options);
};

const run = async (command: SetupCommand, client: CrmClient, text: string, options: Given): Promise<Result> => {
  const input = await readInput(command, client, text, options);
  const body = command.prepare?.(input) ?? input;
  if (isUpdate(command) && Object.keys(body).length === 0)
    throw usageError('No change is given. Choose from the options in --help.');
  const id = await idOf(command, client, text, options);
  const shown = (data: object, status?: string): Result => {
    const { json, text: lines } = command.show(data as never, body);
    return { json: status === undefined ? json : { ...json, status }, text: lines };
  };
  try {
    const { data } = await command.call(client, id, body as never);
    return shown(data, isCreate(command) ? 'created' : undefined);
  } catch (error) {
    const existing = error instanceof CrmConflictError ? error.conflict?.existing_id : undefined;
    if (options['ifNotExists'] === true && existing !== undefined && command.findExisting !== undefined) {
      return shown(await command.findExisting(client, existing, body), 'exists');
    }
    const refused = refusal(error, (field) => optionNameOf(command, field));
    const isInUse = error instanceof CrmConflictError && error.counts !== undefined && command.inUse !== undefined;
    throw isInUse ? new CliError(`${refused?.message ?? ''}. ${command.inUse ?? ''}`) : (refused ?? error);
  }
};

/** The options that name the entry of the argument or its parent. */
const lookupOptions = ({ argument, parent }: SetupCommand): readonly Option[] => {
  const kind = 'entry' in argument ? argument.entry : parent;
  const required = (flags: string, text: string) => new Option(flags, text).makeOptionMandatory();
  const object = objectChoices(required('--object <object>', 'the object that has the field'), objectTypes);
  if (kind === 'stage' || parent === 'pipeline')
    return [required('--pipeline <pipeline>', 'name or id of the pipeline')];
  if (kind !== 'field') return [];
  return parent === 'field' ? [object, required('--field <slug>', 'the field')] : [object];
};

/** The argument of the command, and its description. */
const argumentOf = ({ argument, contract }: SetupCommand): readonly [string, string] => {
  if ('property' in argument) {
    const schema = ((contract.body ?? {}) as Schema).properties?.[argument.property];
    return [`<${shownName(argument.property)}>`, sentence(schema?.description ?? '')];
  }
  return [`<${argument.entry}>`, entries[argument.entry].name];
};

const addOptions = (command: SetupCommand, added: Command): Command => {
  added.argument(...argumentOf(command));
  for (const option of lookupOptions(command)) added.addOption(option);
  for (const [name, schema] of optionProperties(command)) {
    for (const option of optionsOf(name, schema, isUpdate(command)))
      added.addOption(option.makeOptionMandatory(isRequired(command, name)));
    if (name === 'stages') added.option('--default-stage <label>', 'where new deals start (default: the first stage)');
  }
  if (isCreate(command)) added.option('--if-not-exists', 'do nothing if there is one already');
  return added;
};

/** Makes a command of webhooks. */
export const webhookCommand = gatewayCommand('inbound', 'webhooks', true);

/** Adds a set-up command to its group. Its options come from the body of its operation. */
export const addSetupCommand = (command: SetupCommand): AddCommand => {
  const definition = {
    name: command.name.split(' ')[1] ?? '',
    description: command.description,
    help: command.help,
    define: (added: Command) => addOptions(command, added),
    run: ({ client }: { readonly client: CrmClient }, options: Given, text: string) =>
      run(command, client, text, options),
  };
  return command.contract.group === 'webhooks' ? webhookCommand(definition) : setupCommand(definition);
};
