import type { CrmClient, Stage } from '@crm/client';
import { objectTypes } from '@crm/domain';

import type { YamlFile } from '../yaml-file.js';
import { listFields, listMembers, listPipelines, listWebhooks, type PipelineWithStages } from './lookup.js';
import { planFields } from './plan-fields.js';
import {
  activeIf,
  changeStep,
  indexOf,
  type PlanStep,
  positionsOf,
  type StoredSetup,
  withoutUndefined,
} from './plan-step.js';
import { planWebhooks } from './plan-webhooks.js';
import type { SetupSession } from './session.js';
import type { FileMember, FilePipeline, FileStage, SetupFile } from './setup-file.js';

/** Reads {@link StoredSetup}. */
export const readStoredSetup = async ({ client, currency }: SetupSession, file: SetupFile): Promise<StoredSetup> => ({
  currency,
  members: await listMembers(client),
  pipelines: await listPipelines(client),
  fields: (await Promise.all(objectTypes.map((object) => listFields(client, object)))).flat(),
  webhooks: file.webhooks === undefined ? [] : await listWebhooks(client),
});

const stageBody = ({ label, color, probability, default: isDefault }: FileStage) =>
  withoutUndefined({ label, color, probability, is_default: isDefault });

/** Archives the created stages that the file marks as archived. */
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

const planCurrency = ({ currency }: StoredSetup, wanted: SetupFile['currency']): readonly PlanStep[] => {
  if (wanted === undefined || currency === undefined || wanted === currency.current) return [];
  const text = `set the default currency: ${currency.current ?? 'none'} → ${wanted ?? 'none'}`;
  return [{ text, run: () => currency.set(wanted) }];
};

/**
 * Plans the calls that set an organization up as in the file. Entries that the file does not name stay unchanged.
 * @param secrets - receives the secrets of new webhooks by URL
 * @throws CliError (78) with the line, for a value that cannot be changed
 */
export const planSetup = (
  source: YamlFile,
  file: SetupFile,
  setup: StoredSetup,
  secrets: Map<string, string>,
): readonly PlanStep[] => {
  const ids = new Map(setup.pipelines.map(({ pipeline_id: id, name }) => [name, id]));
  const { currency } = file;
  if (currency !== undefined && setup.currency === undefined)
    source.problem(['currency'], 'can be set only through the database (--database-url), not with --api-key');
  const steps: readonly PlanStep[] = [
    ...planCurrency(setup, currency),
    ...planMembers(setup, file.members ?? []),
    ...planPipelines(setup, file.pipelines ?? [], ids),
    ...objectTypes.flatMap((object) => planFields(source, setup, file.fields ?? [], ids, object)),
    ...planWebhooks(setup.webhooks, file.webhooks ?? [], secrets),
  ];
  source.throwIfAny();
  return steps;
};
