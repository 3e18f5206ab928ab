import { readFile, writeFile } from 'node:fs/promises';

import type { Command } from 'commander';

import { ask, type CliContext, printable, printResult } from '../cli-context.js';
import { CliError, exitCodes, ifThere, usageError } from '../errors.js';
import { example } from '../examples.js';
import { privateMode } from '../private-mode.js';
import type { YamlFile } from '../yaml-file.js';
import { proposalsOfFile } from './outcome-proposals.js';
import { planSetup, refuseStagesInUse } from './plan/plan-setup.js';
import type { OnSecret } from './plan/plan-webhooks.js';
import { readStoredSetup } from './plan/read-setup.js';
import { changes, newProgress, runSteps, verify } from './run-steps.js';
import { withSetup, withSetupOptions, type SetupOptions, type SetupSession } from './session.js';
import { exportSetup, readSetupFile, type SetupFile } from './setup-file.js';

interface ApplyOptions extends SetupOptions {
  readonly dryRun?: boolean;
  readonly exitCode?: boolean;
  readonly yes?: boolean;
}

const examples = `
Examples:
  $ crm apply setup.yaml --org ID --dry-run
  $ crm apply setup.yaml --org ID --yes
  $ crm export setup --org ID --output setup.yaml

The file can have a currency, members, pipelines with their stages, fields, and webhooks (url, description, objects, types,
payload, paused). An example is ${example('setup.yaml')}. Entries that the file does not name stay unchanged. To rename a
pipeline, stage, member or webhook, write "was: OLD NAME" (or its id) beside the new name. The order in the file becomes the order
in the organization. "archived: true" takes an entry out of use; "move_to: LABEL" names the stage that gets the opportunities of an
archived one. "outcome: won" or "lost" says how the deals of a stage have ended; a stage with the probability 100 or 0 and no outcome
is only proposed as won or lost. A new currency of a field with values needs "reinterpret_values: true": the numbers stay and become amounts in it.
For webhooks, the key also needs the group webhooks; with a database, the command needs WEBHOOK_SECRET_KEY and
WEBHOOK_ALLOWED_NETWORKS as the gateways have them. For currencies of fields, the key also needs the group search.
The command checks the whole file and prints the plan first. Then it makes one call of the API for each change, and checks that the
organization is in the state of the file. If a call fails, the command says how many changes were made: run it again to continue.
Without --yes it asks before it applies the plan. If it cannot ask (no terminal, or --json), it applies nothing.`;

/** Reads a setup file. @throws CliError if there is none, or it has a fault */
export const readSetup = async (path: string): Promise<ReturnType<typeof readSetupFile>> => {
  const content = await ifThere(readFile(path));
  if (content === undefined) throw usageError(`There is no file ${path}.`);
  return readSetupFile(path, content);
};

/** Whether a plan is to be applied: with --yes, or after the answer to a question. @throws CliError if it cannot ask */
export const isAgreed = async (context: CliContext, options: Pick<ApplyOptions, 'yes' | 'json'>): Promise<boolean> => {
  if (options.yes === true) return true;
  const otherwise = 'Nothing was applied. Give --yes to apply the plan, or --dry-run to only print it.';
  return /^y(es)?$/i.test(await ask(context, options, 'Apply? (y/N) ', otherwise));
};

/** Applies a setup file without asking. */
export const applySetupFile = async (session: SetupSession, path: string): Promise<void> => {
  const { source, file } = await readSetup(path);
  const { steps } = planSetup(source, file, await readStoredSetup(session, file), () => undefined);
  await runSteps(session, steps, newProgress());
};

/** Prints the secrets of webhooks at once, so that none is lost if a later change fails. */
export const printSecrets = (
  context: CliContext,
  { json }: Pick<ApplyOptions, 'json'>,
  secrets: Record<string, string>,
): OnSecret => {
  const stream = json === true ? context.stderr : context.stdout;
  return (url, secret) => {
    secrets[url] = secret;
    stream.write(`${printable(`Secret of ${url}, not shown again: ${secret}`)}\n`);
  };
};

/** Applies a file: prints the plan, asks, runs it, and checks the result. */
const apply = async (
  context: CliContext,
  options: ApplyOptions,
  session: SetupSession,
  { source, file }: { readonly source: YamlFile; readonly file: SetupFile },
): Promise<void> => {
  const secrets: Record<string, string> = {};
  const onSecret = printSecrets(context, options, secrets);
  const stored = await readStoredSetup(session, file);
  const { steps, archives } = planSetup(source, file, stored, onSecret);
  const proposals = proposalsOfFile(file, stored.pipelines);
  await refuseStagesInUse(source, session, archives);
  const plan = steps.map(({ text }) => text);
  const lines = plan.map((line) => `  ${line}\n`).join('');
  const isDryRun = options.dryRun === true;
  if (options.json !== true)
    context.stderr.write(
      printable([isDryRun ? '' : lines, ...proposals.map((line) => `Proposed: ${line}\n`)].join('')),
    );
  const isApplied = plan.length > 0 && !isDryRun && (await isAgreed(context, options));
  const progress = newProgress();
  const json = (applied: boolean) => {
    const shown = Object.keys(secrets).length > 0 ? { secrets } : {};
    return { plan, applied, changes: progress.made, proposals, ...shown };
  };
  try {
    if (isApplied) {
      await runSteps(session, steps, progress, context.onInterrupt());
      await verify(session, source, file, progress);
    }
  } catch (error) {
    if (options.json !== true || !(error instanceof CliError)) throw error;
    const { message, exitCode } = error;
    context.stderr.write(`crm: ${printable(message)}\n`);
    printResult(context, options, { json: { ...json(false), error: { message, exit_code: exitCode } }, text: '' });
    throw new CliError('', exitCode);
  }
  const done = isApplied ? `Applied ${changes(progress.made)}.` : 'Nothing was changed.';
  const text = plan.length === 0 ? 'Nothing to do.' : isDryRun ? `${lines}${done}` : done;
  printResult(context, options, { json: json(isApplied), text });
  if (options.exitCode === true && plan.length > 0) throw new CliError('', exitCodes.usage);
};

/** Adds `crm apply`. */
export const addApplyCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('apply')
    .description('set up an organization from a YAML file')
    .argument('<file>', 'the setup file')
    .option('--dry-run', 'print the plan and change nothing')
    .option('--exit-code', 'with --dry-run: exit with 2 if the organization differs from the file')
    .option('--yes', 'apply the plan without asking')
    .addHelpText('after', examples);
  withSetupOptions(command).action(async (path: string, options: ApplyOptions) => {
    if (options.exitCode === true && options.dryRun !== true) throw usageError('--exit-code needs --dry-run.');
    const setup = await readSetup(path);
    const hasCurrency = setup.file.fields?.some(({ currency }) => currency !== undefined) === true;
    const isAdded = { webhooks: setup.file.webhooks !== undefined, search: hasCurrency };
    const groups = ['list', 'setup', ...(['webhooks', 'search'] as const).filter((group) => isAdded[group])];
    const needs = { groups, operations: ['listOpportunities'] };
    await withSetup(context, options, (session) => apply(context, options, session, setup), needs);
  });
};

/** Writes the setup of an organization to a file, for `crm export setup`. */
export const writeSetup = (context: CliContext, options: SetupOptions & { readonly output: string }): Promise<void> =>
  withSetup(context, options, async ({ client, currency }) => {
    const { output } = options;
    const text = await exportSetup(client, (await currency?.read()) ?? null);
    if (output === '-') {
      context.stdout.write(text);
      return;
    }
    await writeFile(output, text, { mode: privateMode });
    printResult(context, options, { json: { object: 'setup', file: output }, text: `Setup in ${output}` });
  });
