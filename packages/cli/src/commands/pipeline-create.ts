import type { Command } from 'commander';

import { readName } from '../administration/find-setup.js';
import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { readStages } from '../administration/stage-option.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

interface PipelineCreateOptions extends OrganizationOptions {
  readonly stage: readonly string[];
  readonly defaultStage?: string;
  readonly ifNotExists?: boolean;
}

const examples = `
Examples:
  $ crm pipeline create --org ID "New business" --stage Prospecting Engaging Won Lost
  $ crm pipeline create --org ID Renewals --stage "Due:60%" "In talks:80%" "Renewed:100%" "Lost:0%" --default-stage Due

Next: crm field define --org ID --object opportunity NAME --type TYPE --pipeline PIPELINE_ID`;

/** Adds `crm pipeline create`. */
export const addPipelineCreateCommand = (pipeline: Command, context: CliContext): void => {
  const command = pipeline
    .command('create')
    .description('create a pipeline with its stages')
    .argument('<name>', 'its name, unique in the organization')
    .requiredOption('--stage <label...>', 'the stages in order; "Label:50%" gives the chance of winning')
    .option('--default-stage <label>', 'where new deals start (default: the first stage)')
    .option('--if-not-exists', 'do nothing if a pipeline with this name exists')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (input: string, options: PipelineCreateOptions) => {
    const name = readName('<name>', input);
    const wanted = readStages(options.stage, options.defaultStage);
    const { created, status } = await withAdministration(context, options, async ({ administration, setup }) => {
      const { pipelines } = options.ifNotExists === true ? await setup(options.org) : { pipelines: [] };
      const existing = pipelines.find((pipeline) => pipeline.name === name);
      if (existing !== undefined) return { created: existing, status: 'exists' };
      const input = { organizationId: options.org, name, stages: wanted };
      return { created: await administration.createPipeline(input), status: 'created' };
    });
    const stages = created.stages.map(({ id, label }) => ({ stage_id: id, label }));
    const lines = stages.map((stage) => `  ${stage.stage_id}  ${stage.label}`);
    const text = [`Pipeline ${name}: ${created.id}`, ...lines].join('\n');
    printResult(context, options, { json: { pipeline_id: created.id, name, status, stages }, text });
  });
};
