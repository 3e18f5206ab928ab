import { parseCustomValues, type StoredCondition } from '../custom-field/parse-values.js';
import type { CustomFieldDefinition } from '../custom-field/definition.js';
import type { ErrorCollector } from '../errors.js';
import type { ObjectType } from '../object-type.js';
import { comparableName } from '../natural-key/name.js';
import { knownText } from '../query/known-labels.js';
import { quote } from '../query/quote.js';
import { fail, ok, okIfStored, type Result } from '../result.js';
import { runAtOnce, type Steps } from '../steps.js';
import { isBlank } from '../text.js';
import { type Change, changeOf } from './change.js';
import type { FieldWrite } from './field.js';
import { objects } from './objects.js';
import { readSentList, readSentWith, valueReaders } from './value-readers.js';

/** What reading a body needs besides the body. */
export interface ReadContext {
  /** The object's definitions by slug, of all pipelines, so that the error for a field of another pipeline says so. */
  readonly definitions: ReadonlyMap<string, CustomFieldDefinition>;
  /** The member or former member with an id or a normalized email. */
  readonly findMember: (idOrEmail: string) => Entry | undefined;
  /** The record's pipeline; null for objects without pipelines. */
  readonly pipeline: { readonly id: string; readonly stages: readonly StageEntry[] } | null;
}

/** A member or a stage. */
interface Entry {
  readonly id: string;
  readonly isActive: boolean;
}

interface StageEntry extends Entry {
  readonly label: string;
}

/** A body that its schema has checked: the fields of an opportunity are in `opportunity` and `related_objects`. */
export type Body = Readonly<Record<string, unknown>>;

type Read = (input: unknown) => Result<unknown>;

const activeId = (entry: Entry | undefined, unknown: string, inactive: string): Result<string> => {
  if (entry === undefined) return fail(unknown);
  return entry.isActive ? ok(entry.id) : okIfStored(entry.id, inactive);
};

/** Reads the label of a stage. A pipeline has one stage at most with it, because labels that look alike are one label. */
const readStageLabel = (stages: readonly StageEntry[], label: string): Result<string | null> => {
  if (isBlank(label)) return ok(null);
  // Most labels are sent as they are stored, which is found faster.
  const wanted = comparableName(label);
  const found =
    stages.find((stage) => stage.label === label) ?? stages.find((stage) => comparableName(stage.label) === wanted);
  if (found !== undefined) return found.isActive ? ok(found.id) : okIfStored(found.id, 'is archived');
  const active = stages.filter(({ isActive }) => isActive).map((stage) => stage.label);
  return fail(`${quote(label)} is not a stage of this pipeline; ${knownText(active)}`);
};

const readerOf = (
  as: Exclude<FieldWrite['as'], 'emails' | 'externalIds'>,
  { pipeline, findMember }: ReadContext,
): Read => {
  if (as === 'stage') {
    const find = (id: string) => pipeline?.stages.find((one) => one.id === id.toLowerCase());
    return (input) => activeId(find(input as string), 'is not a stage of this pipeline', 'is archived');
  }
  if (as === 'stageLabel') return (input) => readStageLabel(pipeline?.stages ?? [], input as string);
  if (as !== 'owner') return valueReaders[as] as Read;
  return (input) => {
    const email = valueReaders.email(input as string);
    if (!email.ok) return email;
    return activeId(findMember(email.value), 'is not a member of this organization', 'is a former member');
  };
};

/** The part of the body with a field, and the path before the name of the field. */
const partOf = (objectType: ObjectType, part: string | undefined, body: Body): [Body, string] => {
  const name = part ?? (objectType === 'opportunity' ? 'opportunity' : undefined);
  return name === undefined ? [body, ''] : [(body[name] ?? {}) as Body, `${name}.`];
};

/** The dotted path in a body of a stored value: a column, the key of a reference, or the property name of a custom field. */
export const bodyPathOf = (objectType: ObjectType, name: string): string => {
  const field = objects[objectType].fields.find(({ name: own, write }) => name === (write?.reference ?? own));
  return partOf(objectType, field?.write?.part, {})[1] + (field?.write?.name ?? name);
};

/** The error of a field that is sent by two names with different values. For a stage, it shows the label of the one by id. */
const differsText = (as: FieldWrite['as'], name: string, value: unknown, { pipeline }: ReadContext): string => {
  const stage = as === 'stageLabel' ? pipeline?.stages.find(({ id }) => id === value) : undefined;
  if (stage === undefined) return `differs from ${name}, which is the same field`;
  return `differs from ${name}, which is the stage ${quote(stage.label)}: send one of them, or both of one stage`;
};

/**
 * Reads a body into the change that is stored. Adds every fault to `errors`. It runs in steps, because a hundred international emails
 * and hundreds of custom values take milliseconds.
 * @param body - fits the schema of a create or update
 * @param isCreate - null then means absent
 */
export function* changeSteps(
  objectType: ObjectType,
  body: Body,
  context: ReadContext,
  isCreate: boolean,
  errors: ErrorCollector,
): Steps<Change> {
  const values: Record<string, unknown> = {};
  const conditions: StoredCondition[] = [];
  for (const { name, write } of objects[objectType].fields) {
    if (write === undefined) continue;
    const [part, prefix] = partOf(objectType, write.part, body);
    for (const key of [write.name ?? name, ...(write.alias === undefined ? [] : [write.alias])]) {
      const [sent, path] = [part[key], prefix + key];
      const as = key === write.alias ? (write.aliasAs?.as ?? write.as) : write.as;
      const value =
        as === 'emails' || as === 'externalIds'
          ? yield* readSentList(as === 'emails' ? 'email' : 'requiredName', sent as string[], path, errors)
          : readSentWith(readerOf(as, context), sent, path, errors, (ifStored) =>
              conditions.push({ ...ifStored, column: name, path }),
            );
      if (value === undefined || (isCreate && value === null)) continue;
      if (values[name] !== undefined && values[name] !== value)
        errors.add(path, differsText(as, write.name ?? name, values[name], context));
      values[name] ??= value;
    }
  }
  const [input, prefix] = partOf(objectType, undefined, body);
  const { definitions, findMember, pipeline } = context;
  const path = prefix.slice(0, -1);
  const pipelineId = pipeline?.id ?? null;
  // Accepts ids of former members too, so that a value that was read can be sent back.
  const references = { findMemberId: (idOrEmail: string) => findMember(idOrEmail)?.id };
  const custom = yield* parseCustomValues({ definitions, input, path, pipelineId, references, errors, conditions });
  const sent = isCreate ? new Map([...custom].filter(([, value]) => value !== null)) : custom;
  if (isCreate) requireKey(objectType, body, values, errors);
  // A refused create is probably one of a new record, so it reports all faults at once.
  if (isCreate && !errors.isEmpty) for (const { path, message } of conditions) errors.add(path, message);
  const change = changeOf(objectType, values, { definitions, values: sent });
  return conditions.length === 0 ? change : { ...change, if_stored: conditions };
}

/** Runs {@link changeSteps} at once. */
export const readChange = (...request: Parameters<typeof changeSteps>): Change => runAtOnce(changeSteps(...request));

/** A create must identify the record: by its natural key or by an `external_id` that is not blank. */
const requireKey = (objectType: ObjectType, body: Body, values: Body, errors: ErrorCollector): void => {
  const key = objects[objectType].fields.find(({ write }) => write?.isKey === true)?.name ?? '';
  const [part, prefix] = partOf(objectType, undefined, body);
  if ((part[key] ?? null) === null && values['external_id'] === undefined) errors.add(prefix + key, 'is required');
};
