import type { SetupSession } from '../session.js';
import { maxWebhooks } from '@crm/db';
import { objectTypes } from '@crm/domain';

import type { YamlFile } from '../../yaml-file.js';
import { listFields, listMembers, listPipelines, listWebhooks } from '../lookup.js';
import type { SetupFile } from '../setup-file.js';
import { planFields } from './plan-fields.js';
import { planMembers } from './plan-members.js';
import { planPipelines } from './plan-pipelines.js';
import type { StageArchive } from './plan-stages.js';
import type { PlanStep, StoredSetup } from './plan-step.js';
import { type OnSecret, planWebhooks } from './plan-webhooks.js';
import { SetupSize } from './setup-size.js';

/**
 * Reads {@link StoredSetup}. A gateway that others changed the setup through may answer from a setup that is a second old, so it is asked
 * for one that is as new as the end of the change log.
 *
 * @param changed - the `readAfter` of the last change of this process, which the result must contain
 */
export const readStoredSetup = async (
  { client, currency, webhookSettings }: SetupSession,
  file: SetupFile,
  changed: string | null = null,
): Promise<StoredSetup> => {
  const isOwn = webhookSettings !== undefined;
  const readAfter = changed ?? (isOwn ? null : (await client.events.latest()).readAfter);
  return {
    currency: currency && { ...currency, current: await currency.read() },
    members: await listMembers(client, readAfter),
    pipelines: await listPipelines(client, readAfter),
    fields: (await Promise.all(objectTypes.map((object) => listFields(client, object, readAfter)))).flat(),
    webhooks: file.webhooks === undefined ? [] : await listWebhooks(client, readAfter),
    webhookSettings,
  };
};

const planCurrency = ({ currency }: StoredSetup, wanted: SetupFile['currency']): readonly PlanStep[] => {
  if (wanted === undefined || currency === undefined || wanted === currency.current) return [];
  const text = `set the default currency: ${currency.current ?? 'none'} → ${wanted ?? 'none'}`;
  const run = async (): Promise<undefined> => {
    await currency.set(wanted);
  };
  return [{ text, run }];
};

/** The calls that set an organization up as in a file. */
export interface SetupPlan {
  readonly steps: readonly PlanStep[];
  /** Stages that must have no opportunities: see `refuseStagesInUse`. */
  readonly archives: readonly StageArchive[];
}

/**
 * Plans the calls that set an organization up as in the file. Entries that the file does not name stay unchanged.
 *
 * @throws CliError (78) with the line, for a file with two readings, and for what the API would refuse
 */
export const planSetup = (source: YamlFile, file: SetupFile, setup: StoredSetup, onSecret: OnSecret): SetupPlan => {
  const { currency, members = [], fields = [], webhooks = [] } = file;
  if (currency !== undefined && setup.currency === undefined)
    source.problem(['currency'], 'can be set only through the database (--database-url), not with --api-key');
  const size = new SetupSize(source, setup, maxWebhooks);
  const pipelines = planPipelines(source, setup.pipelines, file.pipelines ?? [], size);
  const all = [
    ...planCurrency(setup, currency),
    ...planMembers(source, setup.members, members, size),
    ...pipelines.steps,
    ...planFields({ source, stored: setup.fields, entries: fields, pipelines, size }),
    ...planWebhooks(source, setup, webhooks, size, onSecret),
  ];
  size.checkBytes();
  source.throwIfAny();
  const steps = [...all.filter(({ isLast }) => isLast !== true), ...all.filter(({ isLast }) => isLast === true)];
  return { steps, archives: pipelines.archives };
};

/** Refuses to archive stages with opportunities before anything is changed. @throws CliError (78) with the lines */
export const refuseStagesInUse = async (
  source: YamlFile,
  { client }: SetupSession,
  archives: readonly StageArchive[],
): Promise<void> => {
  for (const { path, pipelineId, stageId } of archives) {
    const query = { pipeline_id: pipelineId, stage_id: stageId, limit: 1 };
    const first = await client.opportunities.list(query)[Symbol.asyncIterator]().next();
    if (first.done !== true)
      source.problem(path, 'the stage has opportunities: name the stage that gets them, as move_to: LABEL');
  }
  source.throwIfAny();
};
