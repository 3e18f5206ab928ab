import { type Pipeline, type Stage, updateStageChange } from '@crm/db';
import { isFailure } from '@crm/domain';
import type { Command } from 'commander';

import { requirePipeline, requireStage } from '../administration/find-setup.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { printStage } from '../administration/stage-result.js';
import { withAdministration } from '../administration/with-administration.js';
import type { CliContext } from '../cli-context.js';
import { CliError, usageError } from '../errors.js';

interface StageArchiveOptions extends OrganizationOptions {
  readonly pipeline: string;
  readonly moveTo?: string;
}

const examples = `
Examples:
  $ crm stage archive --org ID --pipeline Sales "On hold"
  $ crm stage archive --org ID --pipeline Sales "On hold" --move-to Lost

For a stage that still has opportunities, --move-to names the stage that gets them. They move in small steps; each move counts as
an update. An archived stage can be read but gets no opportunities. To restore it: crm stage update --restore`;

/** The maximum number of attempts. Opportunities that arrive during a move have to move too. */
const attempts = 5;

const targetOf = (pipeline: Pipeline, stage: Stage, label: string | undefined): Stage | null => {
  if (label === undefined) return null;
  const target = requireStage(pipeline, label);
  if (target.id === stage.id) throw usageError('--move-to must name another stage.');
  if (!target.isActive) throw usageError(`--move-to: ${target.label} is archived.`);
  return target;
};

/** Adds `crm stage archive`. */
export const addStageArchiveCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('archive')
    .description('take a stage out of use')
    .argument('<stage>', 'its label or id')
    .requiredOption('--pipeline <pipeline>', 'name or id of the pipeline')
    .option('--move-to <stage>', 'label or id of the stage that its opportunities go to')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (wanted: string, options: StageArchiveOptions) => {
    const { org } = options;
    const result = await withAdministration(context, options, async ({ administration, setup }) => {
      const pipeline = requirePipeline(await setup(org), options.pipeline);
      const stage = requireStage(pipeline, wanted);
      const target = targetOf(pipeline, stage, options.moveTo);
      let moved = 0;
      for (let attempt = 1; ; attempt += 1) {
        if (target !== null) {
          const move = { kind: 'stage', from: stage, toId: target.id } as const;
          const onProgress = (done: number) => context.stderr.write(`${done} opportunities moved\n`);
          moved += await administration.moveOpportunities(org, move, onProgress);
        }
        try {
          await administration.changeSetup(org, [updateStageChange(stage.id, { isActive: false })]);
          break;
        } catch (error) {
          if (!isFailure(error, 'conflict')) throw error;
          if (target === null) throw new CliError(`${(error as Error).message}. See: crm stage archive --help`);
          if (attempt === attempts) throw error;
        }
      }
      return { stage: requireStage(requirePipeline(await setup(org), pipeline.id), stage.id), moved };
    });
    printStage(context, options, result.stage, { moved: result.moved });
  });
};
