import type { CrmClient } from '@crm/client';
import { checkedAs, closed, compileFile, CreateWebhookBody, oneOf } from '@crm/contract';
import { attributeTypes, normalizeEmail, normalizeName, objectTypes, parseColor, type Result } from '@crm/domain';
import { type Static, Type } from 'typebox';
import { stringify } from 'yaml';

import { YamlFile } from '../yaml-file.js';
import { listFields, listMembers, listPipelines } from './lookup.js';

const text = (check?: Parameters<typeof checkedAs>[0]) => Type.String(check === undefined ? {} : checkedAs(check));
const name = text('requiredName');
const flag = Type.Optional(Type.Boolean());
const number = (maximum: number) => Type.Optional(Type.Number({ minimum: 0, maximum }));
const list = <T extends Parameters<typeof Type.Array>[0]>(item: T) => Type.Optional(Type.Array(item));

const FileStage = closed(
  {
    label: name,
    was: Type.Optional(name),
    color: Type.Optional(text('color')),
    probability: number(100),
    default: flag,
    archived: flag,
  },
  {},
);
const FilePipeline = closed({ name, was: Type.Optional(name), archived: flag, stages: list(FileStage) }, {});
const FileMember = closed(
  { email: text('email'), was: Type.Optional(text('email')), name: Type.Optional(name), archived: flag },
  {},
);
const FileOption = closed(
  { label: Type.Optional(text()), value: Type.Optional(text()), color: Type.Optional(text('color')), archived: flag },
  {},
);
const FileField = closed(
  {
    object: oneOf(objectTypes),
    slug: text('slug'),
    name,
    type: oneOf(attributeTypes),
    options: list(Type.Unsafe<Static<typeof FileOption> | string>({ anyOf: [{ type: 'string' }, FileOption] })),
    currency: Type.Optional(text('currencyCode')),
    max: number(100),
    pipelines: list(text()),
    hidden: flag,
    archived: flag,
  },
  {},
);
const FileWebhook = closed({ ...CreateWebhookBody.properties, paused: flag }, {});
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

/** A stage of a setup file. `was` is its label before a rename. */
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
  const email = value.includes('@') ? normalizeEmail(value) : null;
  if ((key === 'email' || key === 'was') && email?.ok === true) return email.value.email;
  return ['name', 'label', 'was'].includes(key) ? stored(normalizeName(value), value) : value;
};

const checkUnique = <T>(
  file: YamlFile,
  section: (string | number)[],
  key: string,
  all: readonly T[] = [],
  nameOf: (one: T) => string,
) => {
  all.forEach((one, index) => {
    const isRepeated = all.findIndex((other) => nameOf(other) === nameOf(one)) < index;
    if (isRepeated) file.problem([...section, index, key], `"${nameOf(one)}" is given twice`);
  });
};

/** Parses a setup file (YAML or JSON) and keeps its lines. @throws CliError (78) that names every problem with its line */
export const readSetupFile = (
  path: string,
  content: string,
): { readonly source: YamlFile; readonly file: SetupFile } => {
  const source = new YamlFile(path, content, 'The setup file cannot be used; nothing was changed.');
  const value = source.value ?? {};
  if (source.value !== null) source.check(compileFile(SetupFileSchema));
  const file = JSON.parse(JSON.stringify(value), toStored) as SetupFile;
  checkUnique(source, ['members'], 'email', file.members, ({ email }) => email);
  checkUnique(source, ['pipelines'], 'name', file.pipelines, (pipeline) => pipeline.name);
  file.pipelines?.forEach(({ stages = [] }, index) => {
    checkUnique(source, ['pipelines', index, 'stages'], 'label', stages, ({ label }) => label);
    if (stages.filter((stage) => stage.default === true).length > 1)
      source.problem(['pipelines', index, 'stages'], 'has more than one default');
  });
  checkUnique(source, ['fields'], 'slug', file.fields, ({ object, slug }) => `${object} ${slug}`);
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
  return stringify(
    {
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
    },
    { lineWidth: 0 },
  );
};
