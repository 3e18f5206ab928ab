import { randomUUID } from 'node:crypto';

import { createStageChange } from '@crm/db';
import type { Command } from 'commander';

import { readColor, readName, requirePipeline, requireStage } from '../administration/find-setup.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { printStage } from '../administration/stage-result.js';
import { withAdministration } from '../administration/with-administration.js';
import type { CliContext } from '../cli-context.js';
import { wholeNumber } from '../options.js';

interface StageAddOptions extends OrganizationOptions {
  readonly pipeline: string;
  readonly color?: string;
  readonly probability?: number;
  readonly position?: number;
  readonly default?: boolean;
  readonly ifNotExists?: boolean;
}

const examples = `
Examples:
  $ crm stage add --org ID --pipeline Sales "Contract sent" --position 3 --probability 80
  $ crm stage add --org ID --pipeline Sales Won --if-not-exists`;

/** Adds `crm stage add`. */
export const addStageAddCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('add')
    .description('add a stage to a pipeline')
    .argument('<label>', 'its label, unique in the pipeline')
    .requiredOption('--pipeline <pipeline>', 'name or id of the pipeline')
    .option('--color <color>', 'a color name or #rrggbb (default: gray)')
    .option('--probability <percent>', 'the chance of winning', wholeNumber(0, 100))
    .option('--position <n>', 'its position in the pipeline, from 1 (default: last)', wholeNumber(1, 100_000))
    .option('--default', 'new deals start here')
    .option('--if-not-exists', 'do nothing if a stage with this label exists')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (text: string, options: StageAddOptions) => {
    const label = readName('label', text);
    const color = options.color === undefined ? undefined : readColor('--color', options.color);
    const { probability, position, default: isDefault, ifNotExists, org } = options;
    const result = await withAdministration(context, options, async ({ administration, setup }) => {
      const pipeline = requirePipeline(await setup(org), options.pipeline);
      const existing = pipeline.stages.find((stage) => stage.label === label);
      if (existing !== undefined && ifNotExists === true) return { stage: existing, status: 'exists' };
      const id = randomUUID();
      const stage = { label, color, probability, isDefault };
      await administration.changeSetup(org, [createStageChange(id, pipeline.id, stage, position)]);
      const changed = requirePipeline(await setup(org), pipeline.id);
      return { stage: requireStage(changed, id), status: 'created' };
    });
    printStage(context, options, result.stage, { status: result.status });
  });
};
