import type { CrmClient } from '@crm/client';
import {
  bulkCreateAccounts,
  bulkCreateContacts,
  bulkCreateOpportunities,
  compileFile,
  compileOperation,
  createNote,
} from '@crm/contract';
import { type CustomFieldDefinition, ErrorCollector, readChange, reportedItemErrors } from '@crm/domain';

import { listFields, listMembers, listPipelines } from '../../setup/lookup.js';
import { problemsOf } from '../sending/send-outcome.js';
import type { ImportObject } from '../targets.js';
import type { RequestBody, RowProblem } from './convert-row.js';

const contracts = { opportunity: bulkCreateOpportunities, account: bulkCreateAccounts, contact: bulkCreateContacts };

/** Finds the faults of a body. */
export type BodyCheck = (body: RequestBody) => readonly RowProblem[];

/**
 * Loads the setup of the organization, and returns a check of bodies with the rules of the inbound gateway. It does not
 * find conflicts with stored records.
 */
export const loadBodyCheck = async (client: CrmClient, object: ImportObject): Promise<BodyCheck> => {
  if (object === 'note') {
    const validate = compileFile(createNote.body);
    return (body) => problemsOf(object, validate(body) ?? {});
  }
  const validate = compileOperation(contracts[object]).item;
  const fields = await listFields(client, object);
  const definitions = new Map(
    fields
      .filter((field) => field.is_active !== false)
      .map(({ name: slug, current_name: name, pipeline_ids: pipelineIds = null, attribute_type: type, ...field }) => {
        const own = { ...field, id: field.field_id, objectType: object, slug, name, pipelineIds };
        const attributeType = type as CustomFieldDefinition['attributeType'];
        return [slug, { ...own, attributeType, position: 0, isHidden: false, slot: null }];
      }),
  );
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
    if (faults === null) readChange(object, body, { definitions, findMember, pipeline }, true, errors);
    return problemsOf(object, faults ?? errors.fieldErrors);
  };
};
