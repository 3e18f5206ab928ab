import type { CrmClient } from '@crm/client';
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
  normalizeDomain,
  normalizeEmail,
  readChange,
  reportedItemErrors,
  type Result,
  unlinkedNoteFault,
} from '@crm/domain';

import { type CustomField, listActiveFields, listMembers, listPipelines } from '../../setup/lookup.js';
import { problemsOf } from '../sending/send-outcome.js';
import type { ImportObject } from '../targets.js';
import type { RequestBody, RowProblem } from './convert-row.js';

const contracts = { opportunity: bulkCreateOpportunities, account: bulkCreateAccounts, contact: bulkCreateContacts };

/** Finds the faults of a body. */
export type BodyCheck = (body: RequestBody) => readonly RowProblem[];

/**
 * Loads the setup of the organization, and returns a check of bodies with the rules of the inbound gateway. It does not
 * find conflicts with stored records, and takes each record for a new one: it reports an archived option, which a record
 * may have already.
 */
export const loadBodyCheck = async (client: CrmClient, object: ImportObject): Promise<BodyCheck> => {
  if (object === 'note') {
    const validate = compileFile(createNote.body);
    return (body) => problemsOf(object, validate(body) ?? noteFaults(body));
  }
  const validate = compileOperation(contracts[object]).item;
  const fields = await listActiveFields(client, object);
  const definitions = new Map(fields.map((field) => [field.name, definitionOf(field)]));
  const members = new Map(
    (await listMembers(client)).flatMap(({ member_id: id, email, is_active: isActive }) =>
      [id, email].map((text) => [text, { id, isActive }]),
    ),
  );
  const pipelines = (object === 'opportunity' ? await listPipelines(client) : []).map(
    ({ pipeline_id: id, stages }) => ({
      id,
      stages: stages.map(({ stage_id: stageId, is_active: isActive }) => ({ id: stageId, isActive })),
    }),
  );
  const findMember = (text: string) => members.get(text.toLowerCase());
  return (body) => {
    const faults = validate?.(body) ?? null;
    const errors = new ErrorCollector(reportedItemErrors);
    const pipeline = pipelines.find(({ id }) => id === body['pipeline_id']) ?? null;
    if (faults === null) {
      const change = readChange(object, body, { definitions, findMember, pipeline }, true, errors);
      for (const { path, message } of change.if_stored ?? []) errors.add(path, message);
    }
    return problemsOf(object, faults ?? errors.fieldErrors);
  };
};

/** The faults of a note that its schema does not find: no text, no record, or an address that is none. */
const noteFaults = (body: RequestBody): Readonly<Record<string, string>> => {
  const { title, content } = (body['note'] ?? {}) as { readonly title?: unknown; readonly content?: unknown };
  const isBlank = (text: unknown): boolean => typeof text !== 'string' || text.trim() === '';
  const listOf = (name: string): readonly string[] => (body[name] ?? []) as readonly string[];
  const faultsOf = (name: string, read: (text: string) => Result<unknown>): [string, string][] =>
    listOf(name).flatMap((text): [string, string][] => {
      const result = read(text);
      return result.ok ? [] : [[name, result.message]];
    });
  const links = ['account_domains', 'contact_emails', 'account_external_ids', 'contact_external_ids'];
  const isUnlinked = links.every((name) => listOf(name).length === 0);
  return Object.fromEntries([
    ...(isBlank(title) && isBlank(content) ? [['note.title', emptyNoteFault]] : []),
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
    attributeType: field.attribute_type as CustomFieldDefinition['attributeType'],
    metadata: metadata ? { ...metadata, ...(options && { options }) } : null,
  };
};
