import { updateStageChange } from '@crm/db';
import { InvalidArgumentError, type Command } from 'commander';

import { readColor, readName, requirePipeline, requireStage } from '../administration/find-setup.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { printStage } from '../administration/stage-result.js';
import { withAdministration } from '../administration/with-administration.js';
import type { CliContext } from '../cli-context.js';
import { usageError } from '../errors.js';
import { wholeNumber } from '../options.js';

interface StageUpdateOptions extends OrganizationOptions {
  readonly pipeline: string;
  readonly label?: string;
  readonly color?: string;
  readonly probability?: number | null;
  readonly default?: boolean;
  readonly restore?: boolean;
}

const examples = `
Examples:
  $ crm stage update --org ID --pipeline Sales Engaging --label Negotiating --probability 60
  $ crm stage update --org ID --pipeline Sales Prospecting --default
  $ crm stage update --org ID --pipeline Sales "On hold" --restore

A new label appears in all lists of opportunities once the command has ended.`;

const probability = (text: string): number | null => {
  if (text === 'none') return null;
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 100) return value;
  throw new InvalidArgumentError('Must be a number from 0 to 100, or none.');
};

/** Adds `crm stage update`. */
export const addStageUpdateCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('update')
    .description('rename, change or restore a stage')
    .argument('<stage>', 'its label or id')
    .requiredOption('--pipeline <pipeline>', 'name or id of the pipeline')
    .option('--label <label>', 'its new label')
    .option('--color <color>', 'a color name or #rrggbb')
    .option('--probability <percent>', 'the chance of winning; none for no number', probability)
    .option('--default', 'new deals start here')
    .option('--restore', 'take it back into use')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (wanted: string, options: StageUpdateOptions) => {
    const change = {
      label: options.label === undefined ? undefined : readName('--label', options.label),
      color: options.color === undefined ? undefined : readColor('--color', options.color),
      probability: options.probability,
      isDefault: options.default,
      isActive: options.restore,
    };
    if (Object.values(change).every((value) => value === undefined)) {
      throw usageError('No change is given. Choose from the options in --help.');
    }
    const stage = await withAdministration(context, options, async ({ administration, setup }) => {
      const pipeline = requirePipeline(await setup(options.org), options.pipeline);
      const { id } = requireStage(pipeline, wanted);
      const onProgress = (done: number) => context.stderr.write(`${done} opportunities updated\n`);
      await administration.changeSetup(options.org, [updateStageChange(id, change)], onProgress);
      return requireStage(requirePipeline(await setup(options.org), pipeline.id), id);
    });
    printStage(context, options, stage);
  });
};

interface StageMoveOptions extends OrganizationOptions {
  readonly pipeline: string;
  readonly position: number;
}

/** Adds `crm stage move`. */
export const addStageMoveCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('move')
    .description('move a stage to another position in its pipeline')
    .argument('<stage>', 'its label or id')
    .requiredOption('--pipeline <pipeline>', 'name or id of the pipeline')
    .requiredOption('--position <n>', 'its new position, from 1', wholeNumber(1, 100_000))
    .addHelpText('after', '\nExample:\n  $ crm stage move --org ID --pipeline Sales Engaging --position 1');
  withOrganizationOptions(command).action(async (wanted: string, options: StageMoveOptions) => {
    const stage = await withAdministration(context, options, async ({ administration, setup }) => {
      const pipeline = requirePipeline(await setup(options.org), options.pipeline);
      const { id } = requireStage(pipeline, wanted);
      await administration.changeSetup(options.org, [updateStageChange(id, { position: options.position })]);
      return requireStage(requirePipeline(await setup(options.org), pipeline.id), id);
    });
    printStage(context, options, stage);
  });
};
