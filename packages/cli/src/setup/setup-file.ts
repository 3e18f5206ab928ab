import type { CrmClient } from '@crm/client';
import {
  checkedAs,
  closed,
  compileFile,
  CreateFieldBody,
  CreateMemberBody,
  CreatePipelineBody,
  CreateStageBody,
  CreateWebhookBody,
  oneOf,
  UpdateStageBody,
  UpdateWebhookBody,
} from '@crm/contract';
import {
  attributeTypes,
  comparableName,
  normalizeEmail,
  normalizeName,
  objectTypes,
  parseColor,
  type Result,
} from '@crm/domain';
import { type Static, Type } from 'typebox';

import { uuidPattern } from '../administration/session.js';
import { YamlFile, yamlText } from '../yaml-file.js';
import { listFields, listMembers, listPipelines } from './lookup.js';

const text = (check?: Parameters<typeof checkedAs>[0]) => Type.String(check === undefined ? {} : checkedAs(check));
const was = Type.Optional(text());
const flag = Type.Optional(Type.Boolean());
const list = <T extends Parameters<typeof Type.Array>[0]>(item: T) => Type.Optional(Type.Array(item));

// The properties of the API where it has the same ones, so that a file is refused for what the API would refuse.
const { label, probability } = CreateStageBody.properties;
const { outcome } = UpdateStageBody.properties;
const { email, name: memberName } = CreateMemberBody.properties;
const { slug, current_name: fieldName } = CreateFieldBody.properties;
const color = Type.Optional(text('color'));

const FileStage = closed(
  { label, was, color, probability, outcome, default: flag, archived: flag, move_to: Type.Optional(label) },
  {},
);
const FilePipeline = closed(
  { name: CreatePipelineBody.properties.name, was, archived: flag, stages: list(FileStage) },
  {},
);
const FileMember = closed({ email, was, name: Type.Optional(memberName), archived: flag }, {});
const FileOption = closed({ label: Type.Optional(text()), value: Type.Optional(text()), color, archived: flag }, {});
const FileField = closed(
  {
    object: oneOf(objectTypes),
    slug,
    name: fieldName,
    type: oneOf(attributeTypes),
    options: list(Type.Unsafe<Static<typeof FileOption> | string>({ anyOf: [{ type: 'string' }, FileOption] })),
    currency: Type.Optional(text('currencyCode')),
    reinterpret_values: flag,
    max: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
    pipelines: list(text()),
    hidden: flag,
    archived: flag,
  },
  {},
);
const { description, objects, types, changed, payload } = UpdateWebhookBody.properties;
const { url } = CreateWebhookBody.properties;
const FileWebhook = closed({ url, description, objects, types, changed, payload, was, paused: flag }, {});
const SetupFileSchema = closed(
  {
    currency: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], ...checkedAs('currencyCode') })),
    members: list(FileMember),
    pipelines: list(FilePipeline),
    fields: list(FileField),
    webhooks: list(FileWebhook),
  },
  {},
);

/** A stage of a setup file. `was` is its label before a rename, or its id. `move_to` is the stage that gets its opportunities. */
export type FileStage = Static<typeof FileStage>;
/** A pipeline of a setup file. */
export type FilePipeline = Static<typeof FilePipeline>;
/** A member of a setup file. */
export type FileMember = Static<typeof FileMember>;
/** An option of a field of a setup file. */
export type FileOption = Static<typeof FileOption>;
/** A custom field of a setup file. */
export type FileField = Static<typeof FileField>;
/** A webhook of a setup file. */
export type FileWebhook = Static<typeof FileWebhook>;
/** The contents of a setup file. What is left out stays unchanged. `currency: null` means no default currency. */
export type SetupFile = Static<typeof SetupFileSchema>;

const stored = <T>(result: Result<T>, otherwise: T): T => (result.ok ? result.value : otherwise);

/** The values in the form in which the API stores them. */
const toStored = (key: string, value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  if (key === 'color') return stored(parseColor(value), value);
  return ['name', 'label', 'was', 'move_to'].includes(key) ? stored(normalizeName(value), value) : value;
};

const storedEmail = (text: string): string => {
  const result = normalizeEmail(text);
  return result.ok ? result.value.email : text;
};

/** Emails in the form in which the API stores them. An old one may also be an id. */
const withStoredEmails = (member: FileMember): FileMember => ({
  ...member,
  email: storedEmail(member.email),
  ...(member.was === undefined ? {} : { was: storedEmail(member.was) }),
});

const checkUnique = <T>(
  file: YamlFile,
  section: (string | number)[],
  key: string,
  all: readonly T[] = [],
  nameOf: (one: T) => string,
  compared: (name: string) => string = (name) => name,
) => {
  all.forEach((one, index) => {
    const isRepeated = all.findIndex((other) => compared(nameOf(other)) === compared(nameOf(one))) < index;
    if (isRepeated) file.problem([...section, index, key], `"${nameOf(one)}" is given twice`);
  });
};

/** An old address of a member is an address or an id. */
const checkOldEmails = (file: YamlFile, members: readonly FileMember[] = []): void => {
  for (const [index, { was: old }] of members.entries()) {
    const result = old === undefined || uuidPattern.test(old) ? null : normalizeEmail(old);
    if (result?.ok === false) file.problem(['members', index, 'was'], result.message);
  }
};

/** Parses a setup file (YAML or JSON) and keeps its lines. @throws CliError (78) that names every problem with its line */
export const readSetupFile = (
  path: string,
  content: string | Uint8Array,
): { readonly source: YamlFile; readonly file: SetupFile } => {
  const source = new YamlFile(path, content, 'The setup file cannot be used; nothing was changed.');
  const value = source.value ?? {};
  if (source.value !== null) source.check(compileFile(SetupFileSchema));
  const read = JSON.parse(JSON.stringify(value), toStored) as SetupFile;
  const file = read.members === undefined ? read : { ...read, members: read.members.map(withStoredEmails) };
  checkUnique(source, ['members'], 'email', file.members, (member) => member.email);
  checkOldEmails(source, file.members);
  checkUnique(source, ['pipelines'], 'name', file.pipelines, (pipeline) => pipeline.name, comparableName);
  file.pipelines?.forEach(({ stages = [] }, index) => {
    checkUnique(source, ['pipelines', index, 'stages'], 'label', stages, (stage) => stage.label, comparableName);
    if (stages.filter((stage) => stage.default === true).length > 1)
      source.problem(['pipelines', index, 'stages'], 'has more than one default');
  });
  checkUnique(source, ['fields'], 'slug', file.fields, (field) => `${field.object} ${field.slug}`);
  checkUnique(source, ['webhooks'], 'url', file.webhooks, ({ url }) => url);
  source.throwIfAny();
  return { source, file };
};

const archivedIf = (isActive: boolean | undefined): true | undefined => (isActive === false ? true : undefined);

/** Writes the pipelines, fields and members of an organization as a file for `crm apply`. Undefined values are left out. */
export const exportSetup = async (client: CrmClient, currency: string | null): Promise<string> => {
  const pipelines = await listPipelines(client);
  const fields = (await Promise.all(objectTypes.map((object) => listFields(client, object)))).flat();
  const nameOf = (id: string): string => pipelines.find((one) => one.pipeline_id === id)?.name ?? id;
  return yamlText({
    currency: currency ?? undefined,
    members: (await listMembers(client)).map((member) => ({
      email: member.email,
      name: member.name,
      archived: archivedIf(member.is_active),
    })),
    pipelines: pipelines.map((pipeline) => ({
      name: pipeline.name,
      archived: archivedIf(pipeline.is_active),
      stages: pipeline.stages.map((stage) => ({
        label: stage.label,
        color: stage.color,
        probability: stage.probability ?? undefined,
        outcome: stage.outcome === 'open' ? undefined : stage.outcome,
        default: stage.is_default ? true : undefined,
        archived: archivedIf(stage.is_active),
      })),
    })),
    fields: fields.map((field) => ({
      object: field.object,
      slug: field.name,
      name: field.current_name,
      type: field.attribute_type,
      ...field.metadata,
      options: field.metadata?.options?.map(({ is_active: isActive, ...option }) => ({
        ...option,
        archived: archivedIf(isActive),
      })),
      pipelines: field.pipeline_ids?.map(nameOf),
      hidden: field.is_hidden === true ? true : undefined,
      archived: archivedIf(field.is_active),
    })),
  });
};
