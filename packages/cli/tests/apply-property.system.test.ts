import { createClient } from '@crm/client';
import { propertyRuns, readTestStack } from '@crm/testing';
import { afterAll, expect, it } from '@jest/globals';

import { openOwnGateways, type OwnGateways } from '../src/api/own-gateways.js';
import { CliError } from '../src/errors.js';
import { planSetup, refuseStagesInUse } from '../src/setup/plan/plan-setup.js';
import type { StoredSetup } from '../src/setup/plan/plan-step.js';
import { readStoredSetup } from '../src/setup/plan/read-setup.js';
import type { SetupSession } from '../src/setup/session.js';
import { readSetupFile, type SetupFile } from '../src/setup/setup-file.js';
import { administer } from './support/administered-database.js';
import {
  drawEdit,
  type Edit,
  type Entry,
  type Kind,
  optionOf,
  type Random,
  randomOf,
  stageOf,
} from './support/random-setup.js';

const { databaseUrl } = readTestStack();
const administered = administer(databaseUrl);
const startSeed = Number(process.env['FC_SEED'] ?? Date.now() % 1_000_000_000);
const runs = propertyRuns({ short: 6, soak: 500 });
const editsPerRun = 4;

afterAll(() => administered.close());

const plain = { leavesName: false, keepsOne: false, hasHeirs: false } as const;
const kinds = {
  members: { ...plain, nameOf: (n) => `m${n}@example.com` },
  pipelines: { ...plain, nameOf: (n) => `Pipeline ${n}` },
  stages: { ...plain, nameOf: (n) => `Stage ${n}`, keepsOne: true, hasHeirs: true },
  options: { ...plain, nameOf: (n) => `Label ${n}`, leavesName: true },
  webhooks: { ...plain, nameOf: (n) => `https://hooks.example.com/${n}` },
} satisfies Record<string, Kind>;

/** The organization as the model knows it. */
interface Model {
  members: readonly Entry[];
  pipelines: readonly Entry[];
  options: readonly Entry[];
  webhooks: readonly Entry[];
}

interface Drawn {
  readonly file: SetupFile;
  readonly edits: Readonly<Record<'members' | 'pipelines' | 'options' | 'webhooks', Edit>>;
  readonly stages: ReadonlyMap<Entry, Edit>;
}

/** Draws a file that brings an organization from a model to another one. */
const draw = (random: Random, model: Model, usesIds: boolean): Drawn => {
  const members = drawEdit(random, model.members, kinds.members, usesIds);
  const pipelines = drawEdit(random, model.pipelines, kinds.pipelines, usesIds);
  const options = drawEdit(random, model.options, kinds.options, usesIds);
  const webhooks = drawEdit(random, model.webhooks, { ...kinds.webhooks }, usesIds);
  let values = 100 + random(1_000_000);
  for (const entry of options.list) if (entry.id === '') entry.id = `v${(values += 1)}`;
  const stages = new Map<Entry, Edit>();
  const pipelineEntries = pipelines.named.map(({ entry, was }) => {
    let edit = drawEdit(random, entry.stages, kinds.stages, usesIds);
    while (entry.id === '' && edit.named.length === 0) edit = drawEdit(random, [], kinds.stages, usesIds);
    stages.set(entry, edit);
    const rest = { archived: !entry.isActive, stages: edit.named.map(stageOf) };
    return { name: entry.name, ...rest, ...(was === undefined ? {} : { was }) };
  });
  const field = { object: 'account', slug: 'tier', name: 'Tier', type: 'select' } as const;
  const file: SetupFile = {
    members: members.named.map(({ entry, was }) => ({
      email: entry.name,
      archived: !entry.isActive,
      ...(was === undefined ? {} : { was }),
    })),
    pipelines: pipelineEntries,
    ...(options.named.length > 0 && { fields: [{ ...field, options: options.named.map(optionOf) }] }),
    webhooks: webhooks.named.map(({ entry, was }) => ({
      url: entry.name,
      paused: !entry.isActive,
      ...(was === undefined ? {} : { was }),
    })),
  };
  return { file, edits: { members, pipelines, options, webhooks }, stages };
};

interface Seen {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
}

const seenLists = ({ members, pipelines, fields, webhooks }: StoredSetup) => ({
  members: members.map((one): Seen => ({ id: one.member_id, name: one.email, isActive: one.is_active })),
  pipelines: pipelines.map((one): Seen => ({ id: one.pipeline_id, name: one.name, isActive: one.is_active })),
  options: (fields[0]?.metadata?.options ?? []).map((one): Seen => ({
    id: one.value,
    name: one.label,
    isActive: one.is_active !== false,
  })),
  webhooks: webhooks.map((one): Seen => ({ id: one.webhook_id, name: one.url, isActive: one.state !== 'paused' })),
});

/** Compares a stored list with an edit, and gives new entries their ids. */
const check = (seen: readonly Seen[], { list, named }: Edit, isOrdered: boolean): void => {
  for (const entry of list) entry.id ||= seen.find(({ name }) => name === entry.name)?.id ?? '';
  const shape = ({ id, name, isActive }: Seen | Entry) => ({ id, name, isActive });
  const byId = (one: Seen, other: Seen): number => (one.id < other.id ? -1 : 1);
  expect(seen.map(shape).toSorted(byId)).toEqual(list.map(shape).toSorted(byId));
  if (!isOrdered) return;
  const wanted = named.map(({ entry }) => entry.id);
  expect(seen.map(({ id }) => id).filter((id) => wanted.includes(id))).toEqual(wanted);
};

/** Plans a file, runs it, and expects an empty plan afterwards. @returns false if the file is refused before the first change */
const applyText = async (session: SetupSession, text: string): Promise<boolean> => {
  const { source, file } = readSetupFile('setup.yaml', text);
  const plan = async () => planSetup(source, file, await readStoredSetup(session, file), () => undefined);
  let steps;
  try {
    const planned = await plan();
    await refuseStagesInUse(source, session, planned.archives);
    steps = planned.steps;
  } catch (error) {
    if (error instanceof CliError && error.exitCode === 78) return false;
    throw error;
  }
  for (const { text: step, run } of steps) {
    await run(session.client).catch((error: unknown) => {
      throw new Error(`${step}: ${String(error)} in the plan of ${text}`, { cause: error });
    });
  }
  expect((await plan()).steps.map((step) => step.text)).toEqual([]);
  return true;
};

/** Puts an opportunity into about half of the stages. */
const useStages = async ({ client }: SetupSession, random: Random, { pipelines }: Model): Promise<void> => {
  for (const { id, isActive, stages } of pipelines) {
    for (const stage of stages) {
      if (!isActive || !stage.isActive || stage.isUsed || random(2) === 0) continue;
      const opportunity = { name: `Deal ${random(1e9)}`, stage_id: stage.id };
      await client.opportunities.create({ pipeline_id: id, opportunity });
      stage.isUsed = true;
    }
  }
};

const counts = { edits: 0, refused: 0 };

const runOnce = async (seed: number): Promise<void> => {
  const random = randomOf(seed);
  const organizationId = await administered.createOrganization();
  const origin = { actor: 'test', osUser: null, commandId: crypto.randomUUID() };
  const env = { WEBHOOK_SECRET_KEY: Buffer.alloc(32, 'key').toString('base64') };
  const groups = ['list', 'setup', 'inbound', 'webhooks'];
  const gateways: OwnGateways = await openOwnGateways(databaseUrl, organizationId, origin, {
    ...{ env, groups, operations: ['listOpportunities'] },
  });
  const gateway = { name: 'inbound gateway', url: gateways.inboundUrl, option: '--url', groups: 'setup' } as const;
  const webhookSettings = gateways.webhookSettings;
  const session: SetupSession = { client: createClient(gateways), gateway, currency: undefined, webhookSettings };
  let model: Model = { members: [], pipelines: [], options: [], webhooks: [] };
  try {
    for (let edit = 0; edit < editsPerRun; edit += 1) {
      const usesIds = random(2) === 0;
      const drawn = draw(random, model, usesIds);
      const text = JSON.stringify(drawn.file);
      counts.edits += 1;
      if (!(await applyText(session, text))) {
        counts.refused += 1;
        // With ids instead of old names, no file has two readings.
        expect({ refused: usesIds ? text : '' }).toEqual({ refused: '' });
        continue;
      }
      const stored = await readStoredSetup(session, drawn.file);
      const seen = seenLists(stored);
      for (const name of ['members', 'pipelines', 'options', 'webhooks'] as const)
        check(seen[name], drawn.edits[name], name === 'pipelines' || name === 'options');
      for (const [pipeline, stages] of drawn.stages) {
        const found = stored.pipelines.find((one) => one.pipeline_id === pipeline.id)?.stages ?? [];
        check(
          found.map((one) => ({ id: one.stage_id, name: one.label, isActive: one.is_active })),
          stages,
          true,
        );
        pipeline.stages = [...stages.list];
      }
      const { members, pipelines, options, webhooks } = drawn.edits;
      model = { members: members.list, pipelines: pipelines.list, options: options.list, webhooks: webhooks.list };
      await useStages(session, random, model);
    }
  } finally {
    await gateways.close();
  }
};

it(`one run of crm apply reaches the state of any file, or refuses it before the first change (FC_SEED=${startSeed})`, async () => {
  const until = Date.now() + Number(process.env['APPLY_SECONDS'] ?? 0) * 1000;
  let seed = startSeed;
  do {
    for (let run = 0; run < runs; run += 1, seed += 1) {
      await runOnce(seed).catch((error: unknown) => {
        throw new Error(`FC_SEED=${seed} FC_RUNS=1: ${String(error)}`, { cause: error });
      });
    }
  } while (Date.now() < until);
  process.stderr.write(`apply: seeds ${startSeed} to ${seed - 1}, ${counts.edits} files, ${counts.refused} refused\n`);
  expect(counts.refused).toBeLessThan(counts.edits);
}, 3_600_000);
