import type { CrmClient, Member, Stage } from '@crm/client';
import { type ObjectType, objectTypes, parseFieldMetadata } from '@crm/domain';

import type { YamlFile } from '../yaml-file.js';
import { type CustomField, listFields, listMembers, listPipelines, type PipelineWithStages } from './lookup.js';
import type { CurrencySetting } from './session.js';
import type { FileField, FileMember, FileOption, FilePipeline, FileStage, SetupFile } from './setup-file.js';

/** One step of a plan. A step without a text belongs to the one before it. */
export interface PlanStep {
  readonly text: string;
  readonly run: (client: CrmClient) => Promise<unknown>;
}

/** The pipelines, fields and members of an organization. */
export interface StoredSetup {
  readonly currency: CurrencySetting | undefined;
  readonly members: readonly Member[];
  readonly pipelines: readonly PipelineWithStages[];
  readonly fields: readonly CustomField[];
}

/** Reads {@link StoredSetup}. */
export const readStoredSetup = async (
  client: CrmClient,
  currency: CurrencySetting | undefined,
): Promise<StoredSetup> => ({
  currency,
  members: await listMembers(client),
  pipelines: await listPipelines(client),
  fields: (await Promise.all(objectTypes.map((object) => listFields(client, object)))).flat(),
});

type Values = Readonly<Record<string, unknown>>;

const withoutUndefined = <T extends Values>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;

/** The values of the file that differ from the stored ones. */
const differing = <T extends Values>(wanted: T, stored: object): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(
    Object.entries(withoutUndefined(wanted)).filter(([key, value]) => value !== Reflect.get(stored, key)),
  ) as never;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Describes changed values: `label: Talks → Sent, color: gray → red`. */
const describe = (values: Values, stored: object): string =>
  Object.entries(values)
    .map(([key, value]) => `${key}: ${textOf(Reflect.get(stored, key) ?? 'none')} → ${textOf(value)}`)
    .join(', ');

/** The step that changes an entry; none if nothing differs. A changed position is always sent, and shown if it is new. */
const changeStep = (
  title: string,
  wanted: Values,
  stored: object,
  place: { readonly now: number; readonly position: number | undefined },
  send: (client: CrmClient, body: object) => Promise<unknown>,
): readonly PlanStep[] => {
  const values = differing(wanted, stored);
  const { now, position } = place;
  if (Object.keys(values).length === 0 && position === undefined) return [];
  const moved = position === undefined || position === now ? {} : { position };
  const changes = describe({ ...values, ...moved }, { ...stored, position: now });
  const body = withoutUndefined({ ...values, position });
  return [{ text: changes === '' ? '' : `${title}: ${changes}`, run: (client) => send(client, body) }];
};

/**
 * The position that each entry of a list gets, from 1; undefined if the order stays. Then existing entries are in this
 * order, and new ones come last.
 */
const positionsOf = (places: readonly number[]): ((index: number) => number | undefined) => {
  const known = places.map((place) => (place < 0 ? Number.POSITIVE_INFINITY : place));
  const isMoved = known.some((place, index) => index > 0 && place < (known[index - 1] ?? 0));
  return (index) => (isMoved ? index + 1 : undefined);
};

const activeIf = (archived: boolean | undefined): boolean | undefined =>
  archived === undefined ? undefined : !archived;

const stageBody = ({ label, color, probability, default: isDefault }: FileStage) =>
  withoutUndefined({ label, color, probability, is_default: isDefault });

/** Finds an entry by its name, or else by its old name. */
const indexOf = <T>(all: readonly T[], key: keyof T, name: string, was: string | undefined): number => {
  const index = all.findIndex((one) => one[key] === name);
  return index >= 0 || was === undefined ? index : all.findIndex((one) => one[key] === was);
};

const archiveStages = async (client: CrmClient, created: readonly Stage[], stages: readonly FileStage[]) => {
  for (const { label } of stages.filter(({ archived }) => archived === true)) {
    const id = created.find((stage) => stage.label === label)?.stage_id ?? '';
    await client.pipelines.updateStage(id, { is_active: false });
  }
};

const planStages = (pipeline: PipelineWithStages, stages: readonly FileStage[]): readonly PlanStep[] => {
  const found = stages.map(({ label, was }) => indexOf(pipeline.stages, 'label', label, was));
  const positionOf = positionsOf(found);
  return stages.flatMap((wanted, index): readonly PlanStep[] => {
    const stored = pipeline.stages[found[index] ?? -1];
    const position = positionOf(index);
    if (stored === undefined) {
      const run = async (client: CrmClient): Promise<void> => {
        const body = { ...stageBody(wanted), ...(position === undefined ? {} : { position }) };
        const { data } = await client.pipelines.createStage(pipeline.pipeline_id, body);
        await archiveStages(client, [data.stage], [wanted]);
      };
      return [{ text: `add the stage ${wanted.label} to ${pipeline.name}`, run }];
    }
    const title = `change the stage ${stored.label} of ${pipeline.name}`;
    const values = { ...stageBody(wanted), is_active: activeIf(wanted.archived) };
    return changeStep(title, values, stored, { now: stored.stage_order, position }, (client, body) =>
      client.pipelines.updateStage(stored.stage_id, body),
    );
  });
};

const planPipelines = (
  { pipelines }: StoredSetup,
  wantedPipelines: readonly FilePipeline[],
  ids: Map<string, string>,
): readonly PlanStep[] => {
  const found = wantedPipelines.map(({ name, was }) => indexOf(pipelines, 'name', name, was));
  const positionOf = positionsOf(found);
  return wantedPipelines.flatMap(({ name, archived, stages = [] }, index): readonly PlanStep[] => {
    const position = positionOf(index);
    const at = found[index] ?? -1;
    const stored = pipelines[at];
    // A created pipeline has no id before its step has run.
    ids.set(name, stored?.pipeline_id ?? '');
    if (stored === undefined) {
      const run = async (client: CrmClient): Promise<void> => {
        const body = { name, stages: stages.map(stageBody), ...(position === undefined ? {} : { position }) };
        const { data } = await client.pipelines.create(body);
        ids.set(name, data.pipeline.pipeline_id);
        await archiveStages(client, data.stages, stages);
        if (archived === true) await client.pipelines.update(data.pipeline.pipeline_id, { is_active: false });
      };
      const labels = stages.map(({ label }) => label).join(', ');
      return [{ text: `create the pipeline ${name} with the stages ${labels}`, run }];
    }
    const values = { name, is_active: activeIf(archived) };
    const own = changeStep(
      `change the pipeline ${stored.name}`,
      values,
      stored,
      { now: at + 1, position },
      (client, body) => client.pipelines.update(stored.pipeline_id, body),
    );
    return [...own, ...planStages(stored, stages)];
  });
};

/** `ann.lee@acme.com` → `Ann Lee` */
export const nameFromEmail = (email: string): string => {
  const words = (email.split('@')[0] ?? '').split(/[^a-z0-9]+/i).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || email;
};

const planMembers = ({ members }: StoredSetup, wantedMembers: readonly FileMember[]): readonly PlanStep[] =>
  wantedMembers.flatMap(({ email, was, name, archived }): readonly PlanStep[] => {
    const stored = members[indexOf(members, 'email', email, was)];
    if (stored === undefined) {
      const run = async (client: CrmClient): Promise<void> => {
        const { data } = await client.members.create({ email, name: name ?? nameFromEmail(email) });
        if (archived === true) await client.members.update(data.member.member_id, { is_active: false });
      };
      return [{ text: `add the member ${email}`, run }];
    }
    const values = { email, name, is_active: activeIf(archived) };
    return changeStep(
      `change the member ${stored.email}`,
      values,
      stored,
      { now: 0, position: undefined },
      (client, body) => client.members.update(stored.member_id, body),
    );
  });

type Option = NonNullable<NonNullable<CustomField['metadata']>['options']>[number];
type GivenOption = Omit<FileOption, 'value'> & { readonly value: string; readonly label: string };

const optionsOf = ({ options = [] }: FileField): readonly GivenOption[] =>
  options.map((option) => {
    const { value, label, ...rest } = typeof option === 'string' ? { label: option } : option;
    return { ...rest, value: value ?? label ?? '', label: label ?? value ?? '' };
  });

/** The steps that change the options of an existing field. Options that the file does not name stay, after those of the file. */
const planOptions = (field: CustomField, wanted: FileField): readonly PlanStep[] => {
  const stored: readonly Option[] = field.metadata?.options ?? [];
  const given = optionsOf(wanted);
  const found = given.map((option) => indexOf(stored, 'value', option.value, undefined));
  const positionOf = positionsOf(found);
  const title = `change the ${field.object} field ${field.name}`;
  return given.flatMap((option, index): readonly PlanStep[] => {
    const { value, label, color, archived } = option;
    const at = found[index] ?? -1;
    const position = positionOf(index);
    const update = (client: CrmClient, body: object) => client.fields.updateOption(field.field_id, { value, ...body });
    const old = stored[at];
    if (old !== undefined) {
      const before = { ...old, archived: old.archived ?? false };
      return changeStep(
        `${title}, option ${value}`,
        { label, color, archived },
        before,
        { now: at + 1, position },
        update,
      );
    }
    const run = async (client: CrmClient): Promise<void> => {
      await client.fields.createOption(field.field_id, { value, label, ...(color === undefined ? {} : { color }) });
      if (position !== undefined || archived === true) await update(client, withoutUndefined({ position, archived }));
    };
    return [{ text: `${title}, add the option ${value}`, run }];
  });
};

const createField = (wanted: FileField, position: number | undefined, ids: ReadonlyMap<string, string>) => {
  const { object, slug, name, type, currency, max, hidden, archived, pipelines } = wanted;
  return async (client: CrmClient): Promise<void> => {
    const options = optionsOf(wanted);
    const { data } = await client.fields.create({
      ...{ object, slug, name, attribute_type: type },
      ...withoutUndefined({
        ...{ currency, max, position, is_hidden: hidden },
        options: wanted.options && options.map(({ value, label, color }) => withoutUndefined({ value, label, color })),
        pipeline_ids: pipelines?.map((one) => ids.get(one) ?? ''),
      }),
    });
    const id = data.field.field_id ?? '';
    for (const { value, archived: isArchived } of options)
      if (isArchived === true) await client.fields.updateOption(id, { value, archived: true });
    if (archived === true) await client.fields.update(id, { is_active: false });
  };
};

/** Adds a problem for a value that the API would refuse: bad settings of a type, an unknown pipeline, or a changed type. */
const checkField = (
  source: YamlFile,
  path: readonly (string | number)[],
  wanted: FileField,
  stored: CustomField | undefined,
  ids: ReadonlyMap<string, string>,
): void => {
  const { type, options, currency, max, pipelines, object } = wanted;
  const settings = withoutUndefined({ options: options && optionsOf(wanted), currency, max });
  const metadata = parseFieldMetadata(type, settings);
  if (!metadata.ok && (stored === undefined || Object.keys(settings).length > 0))
    source.problem(path, metadata.message);
  pipelines?.forEach((name, index) => {
    if (!ids.has(name)) source.problem([...path, 'pipelines', index], `there is no pipeline ${name}`);
  });
  if (pipelines !== undefined && object !== 'opportunity')
    source.problem([...path, 'pipelines'], 'applies only to fields of opportunities');
  if (stored === undefined) return;
  if (type !== stored.attribute_type)
    source.problem([...path, 'type'], `is ${stored.attribute_type} and cannot be changed`);
  const idsOf = (all: readonly string[]) => JSON.stringify(all.toSorted());
  const isSame =
    pipelines === undefined || idsOf(pipelines.map((name) => ids.get(name) ?? '')) === idsOf(stored.pipeline_ids ?? []);
  if (!isSame) source.problem([...path, 'pipelines'], 'the pipelines of a field cannot be changed');
};

const planFields = (
  source: YamlFile,
  setup: StoredSetup,
  fields: readonly FileField[],
  ids: ReadonlyMap<string, string>,
  object: ObjectType,
): readonly PlanStep[] => {
  const all = setup.fields.filter((field) => field.object === object);
  const wantedFields = fields.filter((field) => field.object === object);
  const found = wantedFields.map(({ slug }) => indexOf(all, 'name', slug, undefined));
  const positionOf = positionsOf(found);
  return wantedFields.flatMap((wanted, index): readonly PlanStep[] => {
    const at = found[index] ?? -1;
    const stored = all[at];
    const position = positionOf(index);
    checkField(source, ['fields', fields.indexOf(wanted)], wanted, stored, ids);
    const { slug, name, type, hidden, archived, currency, max } = wanted;
    if (stored === undefined) {
      return [{ text: `define the ${object} field ${slug} (${type})`, run: createField(wanted, position, ids) }];
    }
    const values = { current_name: name, is_hidden: hidden, is_active: activeIf(archived), currency, max };
    const send = (client: CrmClient, { current_name: newName, ...body }: Values) =>
      client.fields.update(stored.field_id, withoutUndefined({ ...body, name: newName as string | undefined }));
    const own = changeStep(
      `change the ${object} field ${slug}`,
      values,
      { ...stored, ...stored.metadata },
      { now: at + 1, position },
      (client, body) => send(client, { ...body }),
    );
    return [...own, ...planOptions(stored, wanted)];
  });
};

/**
 * Plans the calls that set an organization up as in the file. Entries that the file does not name stay unchanged.
 * @throws CliError (78) with the line, for a value that cannot be changed
 */
export const planSetup = (source: YamlFile, file: SetupFile, setup: StoredSetup): readonly PlanStep[] => {
  const ids = new Map(setup.pipelines.map(({ pipeline_id: id, name }) => [name, id]));
  const { currency } = file;
  const setting = setup.currency;
  if (currency !== undefined && setting === undefined)
    source.problem(['currency'], 'can be set only through the database (--database-url), not with --api-key');
  const steps: readonly PlanStep[] = [
    ...(currency === undefined || setting === undefined || currency === setting.current
      ? []
      : [
          {
            text: `set the default currency: ${setting.current ?? 'none'} → ${currency ?? 'none'}`,
            run: () => setting.set(currency),
          },
        ]),
    ...planMembers(setup, file.members ?? []),
    ...planPipelines(setup, file.pipelines ?? [], ids),
    ...objectTypes.flatMap((object) => planFields(source, setup, file.fields ?? [], ids, object)),
  ];
  source.throwIfAny();
  return steps;
};
