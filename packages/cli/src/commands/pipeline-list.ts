import type { Command } from 'commander';

import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { textTable } from '../administration/text-table.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';

const examples = `
Example:
  $ crm pipeline list --org ID`;

/** Adds `crm pipeline list`. */
export const addPipelineListCommand = (pipeline: Command, context: CliContext): void => {
  const command = pipeline
    .command('list')
    .description('list pipelines and their stages')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (options: OrganizationOptions) => {
    const setup = await withAdministration(context, options, (session) => session.setup(options.org));
    const pipelines = setup.pipelines.map(({ id, name, isActive, stages }) => ({
      pipeline_id: id,
      name,
      is_active: isActive,
      stages: stages.map((stage) => ({
        stage_id: stage.id,
        label: stage.label,
        is_default: stage.isDefault,
        is_active: stage.isActive,
        probability: stage.probability,
      })),
    }));
    const cells = pipelines.flatMap(({ pipeline_id: id, name, is_active: isActive, stages }) =>
      stages.map((stage) => {
        const state = stage.is_active ? (stage.is_default ? ' (default)' : '') : ' (archived)';
        return [id, isActive ? name : `${name} (archived)`, stage.stage_id, `${stage.label}${state}`];
      }),
    );
    const text = textTable(
      ['PIPELINE', 'NAME', 'STAGE', 'LABEL'],
      cells,
      `There is none yet: crm pipeline create --org ${options.org} NAME --stage LABEL…`,
    );
    printResult(context, options, { json: { pipelines }, text });
  });
};
