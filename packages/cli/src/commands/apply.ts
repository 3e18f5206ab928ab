import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';

import type { Command } from 'commander';

import { withOrganizationOptions, type OrganizationOptions } from '../administration/options.js';
import { withAdministration } from '../administration/with-administration.js';
import { printResult, type CliContext } from '../cli-context.js';
import { errorCode, usageError } from '../errors.js';
import { planSetup } from '../setup-file/plan-setup.js';
import { readSetupFile, setupSource } from '../setup-file/setup-file.js';

interface ApplyOptions extends OrganizationOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const examples = `
Examples:
  $ crm apply setup.yaml --org ID --dry-run
  $ crm apply setup.yaml --org ID --yes
  $ crm export setup --org ID --output setup.yaml

The file has currency, members, pipelines with their stages, and fields; packages/cli/examples/setup.yaml is an example, which npm start uses. What it does not
name stays as it is. A pipeline, stage or member is renamed with "was: OLD NAME" beside the new one. Order in the file is order in
the organization. "archived: true" takes something out of use.
The plan is printed first. It is applied as a whole or not at all; a second run has nothing to do. Without --yes a terminal is
asked, and without a terminal nothing is applied.`;

const readText = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw errorCode(error) === 'ENOENT' ? usageError(`There is no file ${file}.`) : error;
  }
};

const isAgreed = async (context: CliContext, options: ApplyOptions): Promise<boolean> => {
  if (options.yes === true) return true;
  if (!process.stdin.isTTY || context.stderr.isTTY !== true || options.json === true) {
    throw usageError('Nothing was applied: say --yes to apply the plan, or --dry-run to see it only.');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question('Apply? (y/N) ')).trim());
  } finally {
    terminal.close();
  }
};

/** Adds `crm apply`. */
export const addApplyCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('apply')
    .description('set up an organization from a YAML file')
    .argument('<file>', 'the set-up file')
    .option('--dry-run', 'print the plan and change nothing')
    .option('--yes', 'apply the plan without a question')
    .addHelpText('after', examples);
  withOrganizationOptions(command).action(async (path: string, options: ApplyOptions) => {
    const source = setupSource(path, await readText(path));
    const file = readSetupFile(source);
    await withAdministration(context, options, async ({ administration, setup }) => {
      const steps = planSetup(source, file, await setup(options.org));
      const plan = steps.map(({ text }) => text).filter((text) => text !== '');
      const isEmpty = steps.length === 0;
      if (options.json !== true) {
        context.stderr.write(isEmpty ? '' : plan.map((text) => `  ${text}\n`).join(''));
      }
      const isApplied = !isEmpty && options.dryRun !== true && (await isAgreed(context, options));
      if (isApplied) {
        const onProgress = (done: number) => context.stderr.write(`${done} opportunities brought up to date\n`);
        await administration.changeSetup(
          options.org,
          steps.flatMap(({ changes }) => changes),
          onProgress,
        );
      }
      const text = isEmpty ? 'Nothing to do.' : isApplied ? `Applied ${plan.length} changes.` : 'Nothing was changed.';
      printResult(context, options, { json: { plan, applied: isApplied }, text });
    });
  });
};
