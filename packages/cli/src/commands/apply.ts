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

The file can have a currency, members, pipelines with their stages, and fields. An example is
packages/cli/examples/setup.yaml. Entries that the file does not name stay unchanged. To rename a pipeline, stage or member,
write "was: OLD NAME" beside the new name. The order in the file becomes the order in the organization.
"archived: true" takes an entry out of use.
The command prints the plan first, and applies all of it or nothing. A second run finds nothing to do. Without --yes it asks
before it applies the plan. If it cannot ask (no terminal, or --json), it applies nothing.`;

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
    throw usageError('Nothing was applied. Give --yes to apply the plan, or --dry-run to only print it.');
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
    .argument('<file>', 'the setup file')
    .option('--dry-run', 'print the plan and change nothing')
    .option('--yes', 'apply the plan without asking')
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
        const onProgress = (done: number) => context.stderr.write(`${done} opportunities updated\n`);
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
