import type { Command } from 'commander';

import { type CliContext, printable, printResult } from '../cli-context.js';
import { CliError } from '../errors.js';
import { type ExportFolder, findExportFolder } from '../import/copy/export-folder.js';
import { checkFiles, fileJson, type FileResult, fileText, importFiles, isWhole } from '../import/copy/import-folder.js';
import { wholeNumber } from '../options.js';
import { isAgreed, printSecrets, readSetup } from '../setup/apply.js';
import { activeFirst } from '../setup/plan/active-first.js';
import { planSetup, refuseStagesInUse } from '../setup/plan/plan-setup.js';
import { plannedSetup } from '../setup/plan/planned-setup.js';
import type { OnSecret } from '../setup/plan/plan-webhooks.js';
import { readStoredSetup } from '../setup/plan/read-setup.js';
import { changes, newProgress, runSteps, verify } from '../setup/run-steps.js';
import { type ConnectedSession, withSetup, withSetupOptions, type SetupOptions } from '../setup/session.js';

interface ImportAllOptions extends SetupOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly raw?: boolean;
  readonly outage: number;
}

const examples = `
Examples:
  $ crm export all --org "Acme Sales" --output acme
  $ crm org create "Acme copy"
  $ crm import-all acme --org "Acme copy" --dry-run
  $ crm import-all acme --org "Acme copy" --yes

  Into another installation (the key needs the groups list, search, setup, inbound and bulk):
    $ crm import-all acme --url https://inbound.example.com --read-url https://read.example.com --api-key crm_live_… --yes

The directory is one of crm export all. First the setup is applied, with everything that the export has as archived still active.
Then come the accounts, contacts, opportunities and notes, and last everything is archived as in the export.
Running it again is safe: it continues where it was stopped, and changes nothing if all is there. If rows are rejected, it stops
after their file and archives nothing. Correct the rows in that file, and run it again.
In an organization that has records, these keep their values: what differs is a warning. The plan shows each change of the setup.
The copy has other ids of accounts, contacts and opportunities, and other times and versions. Notes keep their ids.
Exit codes: 0 all is imported; 1 rows were rejected or the import stopped; 2 wrong options; 78 wrong setup file.`;

/** Adds `crm import-all`. */
export const addImportAllCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('import-all')
    .description('import the setup and all records that crm export all has written')
    .argument('<directory>', 'the directory of crm export all')
    .option('--dry-run', 'print the plan, check every row and change nothing')
    .option('--yes', 'apply the plan without asking')
    .option('--raw', 'the files are from crm export all --raw: keep apostrophes before = + - @')
    .option('--outage <seconds>', 'how long to wait for an unreachable gateway', wholeNumber(0, 86_400), 60)
    .addHelpText('after', examples);
  withSetupOptions(command).action(async (directory: string, options: ImportAllOptions) => {
    const folder = await findExportFolder(directory);
    const setup = await readSetup(folder.setup);
    const groups = ['list', 'search', 'setup', 'inbound', 'bulk'];
    if (setup.file.webhooks !== undefined) groups.push('webhooks');
    const needs = { groups, operations: ['listOpportunities'] };
    await withSetup(context, options, (session) => importAll(context, options, session, folder, setup), needs);
  });
};

type Setup = Awaited<ReturnType<typeof readSetup>>;

/** How a run ended. */
interface End {
  readonly plan: readonly string[];
  readonly files: readonly FileResult[];
  /** How many calls changed the setup. */
  readonly made: number;
  readonly complete: boolean;
  readonly text: string;
}

const importAll = async (
  context: CliContext,
  options: ImportAllOptions,
  session: ConnectedSession,
  folder: ExportFolder,
  setup: Setup,
): Promise<void> => {
  const secrets: Record<string, string> = {};
  const onSecret = printSecrets(context, options, secrets);
  const { plan, files, made, complete, text } = await run(context, options, session, { folder, setup, onSecret });
  const shown = Object.keys(secrets).length > 0 ? { secrets } : {};
  const counts = { setup_changes: made, files: files.map(fileJson) };
  const json = { complete, dry_run: options.dryRun === true, plan, ...counts, ...shown };
  printResult(context, options, { json, text: [...files.map(fileText), text].join('\n') });
  if (!complete) throw new CliError('');
};

interface Work {
  readonly folder: ExportFolder;
  readonly setup: Setup;
  readonly onSecret: OnSecret;
}

const run = async (
  context: CliContext,
  options: ImportAllOptions,
  session: ConnectedSession,
  { folder, setup: { source, file }, onSecret }: Work,
): Promise<End> => {
  const signal = context.onInterrupt();
  const stored = await readStoredSetup(session, file);
  const plan = planSetup(source, file, stored, onSecret).steps.map(({ text }) => text);
  const { steps } = planSetup(source, activeFirst(file, stored), stored, onSecret);
  const job = { folder, client: session.client, raw: options.raw, outageMs: options.outage * 1000, signal };
  const planned = { ...job, hasCurrency: true, setup: plannedSetup(file, stored), gateways: undefined };
  await checkFiles(planned);
  if (options.json !== true) context.stderr.write(printable(plan.map((line) => `  ${line}\n`).join('')));
  if (options.dryRun === true) {
    const files = await importFiles(context, planned);
    const complete = files.every(isWhole) && !signal.aborted;
    return { plan, files, made: 0, complete, text: 'Nothing was changed (--dry-run).' };
  }
  if (plan.length > 0 && !(await isAgreed(context, options)))
    return { plan, files: [], made: 0, complete: false, text: 'Nothing was changed.' };
  const opened = newProgress();
  await runSteps(session, steps, opened, signal);
  const setup = await readStoredSetup(session, file, opened.readAfter);
  const gateways = { ...session.connection, demo: undefined };
  const hasCurrency = setup.currency?.current !== null;
  const files = await importFiles(context, { ...job, setup, hasCurrency, gateways });
  const last = files.at(-1);
  if (signal.aborted || last === undefined || !isWhole(last))
    return { plan, files, made: opened.made, complete: false, text: `${stoppedText(last)} ${unfinished}`.trim() };
  const made = opened.made + (await archive(session, { source, file }, onSecret, signal));
  return { plan, files, made, complete: true, text: `The setup is as in the export (${changes(made)}).` };
};

/** Applies the whole setup file, which archives what the records needed. @returns how many calls changed the setup */
const archive = async (
  session: ConnectedSession,
  { source, file }: Setup,
  onSecret: OnSecret,
  signal: AbortSignal,
): Promise<number> => {
  const { steps, archives } = planSetup(source, file, await readStoredSetup(session, file), onSecret);
  await refuseStagesInUse(source, session, archives);
  const progress = newProgress();
  await runSteps(session, steps, progress, signal);
  await verify(session, source, file, progress);
  return progress.made;
};

const unfinished =
  'Nothing was archived yet. Run the same command again to continue: imported rows are matched, not duplicated.';

/** Why the import of a file stopped. */
const stoppedText = (last: FileResult | undefined): string => {
  if (last === undefined) return '';
  return last.result.stopped ?? `Correct the rejected rows in ${last.path} itself.`;
};
