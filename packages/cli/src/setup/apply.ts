import { readFile, writeFile } from 'node:fs/promises';

import type { Command } from 'commander';

import { refusal } from '../api/gateways.js';
import { ask, printResult, type CliContext } from '../cli-context.js';
import { CliError, ifThere, usageError } from '../errors.js';
import { example } from '../examples.js';
import { privateMode } from '../private-mode.js';
import { planSetup, readStoredSetup } from './plan-setup.js';
import type { PlanStep } from './plan-step.js';
import { withSetup, withSetupOptions, type SetupOptions, type SetupSession } from './session.js';
import { exportSetup, readSetupFile } from './setup-file.js';

interface ApplyOptions extends SetupOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const examples = `
Examples:
  $ crm apply setup.yaml --org ID --dry-run
  $ crm apply setup.yaml --org ID --yes
  $ crm export setup --org ID --output setup.yaml

The file can have a currency, members, pipelines with their stages, fields, and webhooks (url, description, objects, types,
payload, paused). An example is ${example('setup.yaml')}. Entries that the file does not name stay unchanged. To rename a
pipeline, stage or member, write "was: OLD NAME" beside the new name. The order in the file becomes the order in the organization.
"archived: true" takes an entry out of use. For webhooks, the key also needs the group webhooks; with a database, the command needs
WEBHOOK_SECRET_KEY as the gateways have it.
The command checks the whole file and prints the plan first. Then it makes one call of the API for each change, in this order. If
one is refused, those before it stay: correct the file and run the command again. A run with nothing to change changes nothing.
Without --yes it asks before it applies the plan. If it cannot ask (no terminal, or --json), it applies nothing.`;

const readSetup = async (path: string): Promise<ReturnType<typeof readSetupFile>> => {
  const text = await ifThere(readFile(path, 'utf8'));
  if (text === undefined) throw usageError(`There is no file ${path}.`);
  return readSetupFile(path, text);
};

const isAgreed = async (context: CliContext, options: ApplyOptions): Promise<boolean> => {
  if (options.yes === true) return true;
  const otherwise = 'Nothing was applied. Give --yes to apply the plan, or --dry-run to only print it.';
  return /^y(es)?$/i.test(await ask(context, options, 'Apply? (y/N) ', otherwise));
};

/** Runs the steps of a plan, one call after the other. @throws CliError that says which step the API refused */
const runSteps = async ({ client }: SetupSession, steps: readonly PlanStep[]): Promise<void> => {
  let text = '';
  for (const [index, step] of steps.entries()) {
    text = step.text || text;
    try {
      await step.run(client);
    } catch (error) {
      const refused = refusal(error);
      if (refused === undefined) throw error;
      const before = `The changes before it are applied (${index} of ${steps.length} calls).`;
      throw new CliError(`Refused: ${text}. ${refused.message}. ${before} Correct the file and run the command again.`);
    }
  }
};

/** Applies a setup file without asking. */
export const applySetupFile = async (session: SetupSession, path: string): Promise<void> => {
  const { source, file } = await readSetup(path);
  await runSteps(session, planSetup(source, file, await readStoredSetup(session, file), new Map()));
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
  withSetupOptions(command).action(async (path: string, options: ApplyOptions) => {
    const { source, file } = await readSetup(path);
    const secrets = new Map<string, string>();
    const work = async (session: SetupSession): Promise<void> => {
      const steps = planSetup(source, file, await readStoredSetup(session, file), secrets);
      const plan = steps.map((step) => step.text).filter((line) => line !== '');
      const isEmpty = steps.length === 0;
      const lines = plan.map((line) => `  ${line}\n`).join('');
      if (options.json !== true && options.dryRun !== true) context.stderr.write(lines);
      const isApplied = !isEmpty && options.dryRun !== true && (await isAgreed(context, options));
      if (isApplied) await runSteps(session, steps);
      const done = isApplied ? `Applied ${plan.length} changes.` : 'Nothing was changed.';
      const shownSecrets = [...secrets].map(([url, secret]) => `\nSecret of ${url}, not shown again: ${secret}`);
      const shown = options.dryRun === true ? `${lines}${done}` : `${done}${shownSecrets.join('')}`;
      const json = { plan, applied: isApplied, ...(secrets.size > 0 && { secrets: Object.fromEntries(secrets) }) };
      printResult(context, options, { json, text: isEmpty ? 'Nothing to do.' : shown });
    };
    const groups = ['list', 'setup', ...(file.webhooks === undefined ? [] : ['webhooks'])];
    await withSetup(context, options, work, groups);
  });
};

/** Writes the setup of an organization to a file, for `crm export setup`. */
export const writeSetup = (context: CliContext, options: SetupOptions & { readonly output: string }): Promise<void> =>
  withSetup(context, options, async ({ client, currency }) => {
    const { output } = options;
    const text = await exportSetup(client, currency?.current ?? null);
    if (output === '-') {
      context.stdout.write(text);
      return;
    }
    await writeFile(output, text, { mode: privateMode });
    printResult(context, options, { json: { object: 'setup', file: output }, text: `Setup in ${output}` });
  });
