import type { CrmClient } from '@crm/client';
import { objectTypes } from '@crm/domain';

import { type CustomField, listFields, listMembers, listPipelines, listWebhooks } from '../lookup.js';
import type { PipelineWithStages } from '../lookup.js';
import type { SetupSession } from '../session.js';
import type { SetupFile } from '../setup-file.js';
import type { StoredSetup } from './plan-step.js';

type ReadAfter = string | null;

const isAny = async (list: AsyncIterable<unknown>): Promise<boolean> =>
  (await list[Symbol.asyncIterator]().next()).done !== true;

/** Whether a stage has opportunities. */
export const isStageUsed = (
  client: CrmClient,
  { pipelineId, stageId }: { readonly pipelineId: string; readonly stageId: string },
  readAfter: ReadAfter = null,
): Promise<boolean> =>
  isAny(client.opportunities.list({ pipeline_id: pipelineId, stage_id: stageId, limit: 1 }, { readAfter }));

const isFieldUsed = (client: CrmClient, { object, name }: CustomField, readAfter: ReadAfter): Promise<boolean> => {
  const filters = [{ field: `custom__${name}` as const, operator: 'not_empty' as const }];
  const [body, options] = [{ filters, limit: 1 }, { readAfter }];
  const searches = {
    opportunity: () => client.opportunities.search(body, options),
    account: () => client.accounts.search(body, options),
    contact: () => client.contacts.search(body, options),
  };
  return isAny(searches[object]());
};

/** Whether the file gives a stored field another currency, without saying what becomes of its values. */
const hasNewCurrency = ({ fields = [] }: SetupFile, { object, name, metadata }: CustomField): boolean => {
  const wanted = fields.find((field) => field.object === object && field.slug === name);
  if (wanted?.currency === undefined || wanted.reinterpret_values === true) return false;
  return wanted.currency !== metadata?.currency;
};

/** The fields of the file with another currency that have values. Those of an archived field cannot be searched. */
const usedFields = async (client: CrmClient, file: SetupFile, fields: readonly CustomField[], readAfter: ReadAfter) => {
  const used: string[] = [];
  for (const field of fields.filter((one) => hasNewCurrency(file, one)))
    if (field.is_active === false || (await isFieldUsed(client, field, readAfter))) used.push(field.field_id);
  return used;
};

/** The archived stages with opportunities that a move has left, if the file moves any. */
const unfinishedStages = async (
  client: CrmClient,
  { pipelines = [] }: SetupFile,
  stored: readonly PipelineWithStages[],
  readAfter: ReadAfter,
): Promise<readonly string[]> => {
  if (!pipelines.some(({ stages = [] }) => stages.some((stage) => stage.move_to !== undefined))) return [];
  const used: string[] = [];
  for (const { pipeline_id: pipelineId, stages } of stored)
    for (const { stage_id: stageId, is_active: isActive } of stages)
      if (!isActive && (await isStageUsed(client, { pipelineId, stageId }, readAfter))) used.push(stageId);
  return used;
};

/**
 * Reads {@link StoredSetup}. A gateway that others changed the setup through may answer from a setup that is a second old, so it is asked
 * for one that is as new as the end of the change log.
 *
 * @param changed - the `readAfter` of the last change of this process, which the result must contain
 */
export const readStoredSetup = async (
  { client, currency, webhookSettings }: SetupSession,
  file: SetupFile,
  changed: ReadAfter = null,
): Promise<StoredSetup> => {
  const isOwn = webhookSettings !== undefined;
  const readAfter = changed ?? (isOwn ? null : (await client.events.latest()).readAfter);
  const pipelines = await listPipelines(client, readAfter);
  const fields = (await Promise.all(objectTypes.map((object) => listFields(client, object, readAfter)))).flat();
  return {
    currency: currency && { ...currency, current: await currency.read() },
    members: await listMembers(client, readAfter),
    pipelines,
    fields,
    webhooks: file.webhooks === undefined ? [] : await listWebhooks(client, readAfter),
    webhookSettings,
    inUse: new Set([
      ...(await usedFields(client, file, fields, readAfter)),
      ...(await unfinishedStages(client, file, pipelines, readAfter)),
    ]),
  };
};
