import type { CrmClient, Member } from '@crm/client';
import {
  bulkCreateAccounts,
  bulkCreateContacts,
  bulkCreateOpportunities,
  compileFile,
  compileOperation,
  createNote,
} from '@crm/contract';
import {
  type CustomFieldDefinition,
  emptyNoteFault,
  ErrorCollector,
  isBlank,
  normalizeDomain,
  normalizeEmail,
  readChange,
  reportedItemErrors,
  type StoredCondition,
  type Result,
  unlinkedNoteFault,
} from '@crm/domain';

import {
  type CustomField,
  listFields,
  listMembers,
  listPipelines,
  type PipelineWithStages,
} from '../../setup/lookup.js';
import { problemsOf } from '../sending/send-outcome.js';
import type { ImportObject } from '../targets.js';
import type { RequestBody, RowProblem } from './convert-row.js';

const contracts = { opportunity: bulkCreateOpportunities, account: bulkCreateAccounts, contact: bulkCreateContacts };

/** The faults of a body, and what only a record that has it already may be sent, such as an archived option. */
export interface CheckedBody {
  readonly faults: readonly RowProblem[];
  readonly conditions: readonly StoredCondition[];
  /** The stored forms of the custom values of a record, by slug. */
  readonly toStored: (record: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/** The result for a body without conditions. */
export const unconditional: CheckedBody = { faults: [], conditions: [], toStored: () => ({}) };

/** Checks a body with the rules of the inbound gateway. It does not find conflicts with stored records. */
export type BodyCheck = (body: RequestBody) => CheckedBody;

/** What the values of records refer to. */
export interface TargetSetup {
  /** With archived ones. */
  readonly fields: readonly CustomField[];
  readonly members: readonly Pick<Member, 'member_id' | 'email' | 'is_active'>[];
  readonly pipelines: readonly PipelineWithStages[];
}

/** Loads the parts of the setup that records of an object refer to. */
export const loadTargetSetup = async (client: CrmClient, object: ImportObject): Promise<TargetSetup> => ({
  fields: object === 'note' ? [] : await listFields(client, object),
  members: object === 'note' ? [] : await listMembers(client),
  pipelines: object === 'opportunity' ? await listPipelines(client) : [],
});

/** Returns the check of the bodies of an object. */
export const makeBodyCheck = (object: ImportObject, setup: TargetSetup): BodyCheck => {
  if (object === 'note') {
    const validate = compileFile(createNote.body);
    return (body) => ({ ...unconditional, faults: problemsOf(object, validate(body) ?? noteFaults(body)) });
  }
  const validate = compileOperation(contracts[object]).item;
  const fields = setup.fields.filter((field) => field.object === object);
  const definitions = new Map(fields.map((field) => [field.name, definitionOf(field)]));
  const members = new Map(
    setup.members.flatMap(({ member_id: id, email, is_active: isActive }) =>
      [id, email].map((text) => [text, { id, isActive }]),
    ),
  );
  const pipelines = setup.pipelines.map(({ pipeline_id: id, stages }) => ({
    id,
    stages: stages.map(({ stage_id: stageId, label, is_active: isActive }) => ({ id: stageId, label, isActive })),
  }));
  const findMember = (text: string) => members.get(text.toLowerCase());
  return (body) => {
    const faults = validate?.(body) ?? null;
    const errors = new ErrorCollector(reportedItemErrors);
    const pipeline = pipelines.find(({ id }) => id === body['pipeline_id']) ?? null;
    if (faults !== null) return { ...unconditional, faults: problemsOf(object, faults) };
    const context = { definitions, findMember, pipeline };
    const { if_stored: conditions = [] } = readChange(object, body, context, true, errors);
    // A record that was read has the custom values beside its key. What else it lacks is of no interest.
    const toStored: CheckedBody['toStored'] = ({ custom_fields: custom }) => {
      const record = object === 'opportunity' ? { opportunity: { custom_fields: custom } } : { custom_fields: custom };
      return readChange(object, record, context, false, new ErrorCollector()).custom_fields;
    };
    return {
      faults: problemsOf(object, errors.fieldErrors),
      conditions: errors.isEmpty ? conditions : [],
      toStored,
    };
  };
};

/** The faults of a note that its schema does not find: no text, no record, or an address that is none. */
const noteFaults = (body: RequestBody): Readonly<Record<string, string>> => {
  const { title, content } = (body['note'] ?? {}) as { readonly title?: unknown; readonly content?: unknown };
  const isEmpty = (text: unknown): boolean => typeof text !== 'string' || isBlank(text);
  const listOf = (name: string): readonly string[] => (body[name] ?? []) as readonly string[];
  const faultsOf = (name: string, read: (text: string) => Result<unknown>): [string, string][] =>
    listOf(name).flatMap((text): [string, string][] => {
      const result = read(text);
      return result.ok ? [] : [[name, result.message]];
    });
  const { opportunity_ids: opportunityIds = [] } = (body['related_objects'] ?? {}) as {
    readonly opportunity_ids?: readonly string[];
  };
  const links = ['account_domains', 'contact_emails', 'account_external_ids', 'contact_external_ids'];
  const isUnlinked = opportunityIds.length === 0 && links.every((name) => listOf(name).length === 0);
  return Object.fromEntries([
    ...(isEmpty(title) && isEmpty(content) ? [['note.title', emptyNoteFault]] : []),
    ...(isUnlinked
      ? [
          ['account_domains', unlinkedNoteFault],
          ['contact_emails', unlinkedNoteFault],
        ]
      : []),
    ...faultsOf('account_domains', normalizeDomain),
    ...faultsOf('contact_emails', normalizeEmail),
  ]) as Readonly<Record<string, string>>;
};

const definitionOf = (field: CustomField): CustomFieldDefinition => {
  const { name: slug, current_name: name, pipeline_ids: pipelineIds = null, field_id: id, metadata } = field;
  const options = metadata?.options?.map(({ is_active: isActive, ...one }) => ({
    ...one,
    archived: isActive === false,
  }));
  return {
    id,
    slug,
    name,
    pipelineIds,
    objectType: field.object,
    position: 0,
    isHidden: false,
    slot: null,
    isActive: field.is_active !== false,
    attributeType: field.attribute_type as CustomFieldDefinition['attributeType'],
    metadata: metadata ? { ...metadata, ...(options && { options }) } : null,
  };
};
