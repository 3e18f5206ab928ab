import { updatePipelineChange, updateStageChange, type SetupChange } from '@crm/db';
import { Option, type Command } from 'commander';

import { readName, requirePipeline, requireStage } from '../administration/find-setup.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';
import { usageError } from '../errors.js';
import { wholeNumber } from '../options.js';

interface PipelineUpdateOptions extends OrganizationOptions {
  readonly name?: string;
  readonly position?: number;
  readonly archive?: boolean;
  readonly restore?: boolean;
  readonly defaultStage?: string;
}

const examples = `
Examples:
  $ crm pipeline update --org ID Sales --name "New business" --position 1
  $ crm pipeline update --org ID Renewals --default-stage "In talks"
  $ crm pipeline update --org ID Renewals --archive

An archived pipeline gets no new opportunities. Its opportunities can still be read and changed.`;

/** Adds `crm pipeline update`. */
export const addPipelineUpdateCommand = (parent: Command, context: CliContext): void => {
  const command = parent
    .command('update')
    .description('rename, move, archive or restore a pipeline')
    .argument('<pipeline>', 'its name or id')
    .option('--name <name>', 'its new name, unique in the organization')
    .option('--position <n>', 'its position among the pipelines, from 1', wholeNumber(1, 100_000))
    .option('--default-stage <stage>', 'label or id of the stage where new deals start')
    .addOption(new Option('--archive', 'take it out of use').conflicts('restore'))
    .option('--restore', 'take it back into use')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (wanted: string, options: PipelineUpdateOptions) => {
    const { name: newName, position, archive, restore, defaultStage } = options;
    const name = newName === undefined ? undefined : readName('--name', newName);
    const isActive = archive === true ? false : restore;
    const isChange = [name, position, isActive].some((value) => value !== undefined);
    if (!isChange && defaultStage === undefined)
      throw usageError('No change is given. Choose from the options in --help.');
    const pipeline = await withAdministration(context, options, async ({ administration, setup }) => {
      const found = requirePipeline(await setup(options.org), wanted);
      const changes: SetupChange[] = isChange ? [updatePipelineChange(found.id, { name, isActive, position })] : [];
      if (defaultStage !== undefined) {
        changes.push(updateStageChange(requireStage(found, defaultStage).id, { isDefault: true }));
      }
      await administration.changeSetup(options.org, changes);
      return requirePipeline(await setup(options.org), found.id);
    });
    const json = { pipeline_id: pipeline.id, name: pipeline.name, is_active: pipeline.isActive };
    const state = pipeline.isActive ? '' : ', archived';
    printResult(context, options, { json, text: `Pipeline ${pipeline.name}${state}: ${pipeline.id}` });
  });
};
