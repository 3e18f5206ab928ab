import type { SetupSession } from '../session.js';
import { maxWebhooks } from '@crm/db';

import type { YamlFile } from '../../yaml-file.js';
import type { SetupFile } from '../setup-file.js';
import { planFields } from './plan-fields.js';
import { planMembers } from './plan-members.js';
import { planPipelines } from './plan-pipelines.js';
import type { StageArchive } from './plan-stages.js';
import type { PlanStep, StoredSetup } from './plan-step.js';
import { type OnSecret, planWebhooks } from './plan-webhooks.js';
import { isStageUsed } from './read-setup.js';
import { SetupSize } from './setup-size.js';

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
  const pipelines = planPipelines(source, setup, file.pipelines ?? [], size);
  const all = [
    ...planCurrency(setup, currency),
    ...planMembers(source, setup.members, members, size),
    ...pipelines.steps,
    ...planFields({ source, setup, entries: fields, pipelines, size }),
    ...planWebhooks({ source, setup, entries: webhooks, fields, size, onSecret }),
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
  for (const { path, ...stage } of archives) {
    if (await isStageUsed(client, stage))
      source.problem(path, 'the stage has opportunities: name the stage that gets them, as move_to: LABEL');
  }
  source.throwIfAny();
};
