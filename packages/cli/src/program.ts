import { Command, CommanderError } from 'commander';

import { type CliContext, jsonLine, printable } from './cli-context.js';
import type { AddCommand } from './command.js';
import { CliError, errorText, exitCodes, type ExitCode } from './errors.js';
import { version } from './version.js';

const introduction = `
Start here:
  $ crm start                 the whole stack on this machine, with a demo organization
  $ crm import --help         import your data
  $ crm export --help         export your data
  $ crm key create --help     create an API key
  $ crm doctor                find problems and what to do about them

Exit codes: 0 ok, 1 failure, 2 wrong command line, 78 wrong configuration.`;

/** A command or a group of commands, whose code is loaded when it is used. */
interface Entry {
  readonly name: string;
  /** Of a group: its description. */
  readonly group?: string;
  readonly load: () => Promise<AddCommand | readonly AddCommand[]>;
}

/** All commands, in the order of the help. */
const entries: readonly Entry[] = [
  { name: 'start', load: async () => (await import('./commands/start.js')).addStartCommand },
  { name: 'migrate', load: async () => (await import('./commands/database.js')).addMigrateCommand },
  { name: 'distribute', load: async () => (await import('./commands/database.js')).addDistributeCommand },
  {
    name: 'roles',
    group: 'database roles of the gateways',
    load: async () => [(await import('./commands/database.js')).addRolesApplyCommand],
  },
  {
    name: 'org',
    group: 'organizations',
    load: async () => (await import('./commands/organizations.js')).organizationCommands,
  },
  { name: 'key', group: 'API keys', load: async () => (await import('./commands/keys.js')).keyCommands },
  { name: 'apply', load: async () => (await import('./setup/apply.js')).addApplyCommand },
  { name: 'api', load: async () => (await import('./commands/api.js')).addApiCommand },
  ...(['get', 'search', 'create', 'update'] as const).map((name) => ({
    name,
    load: async () => (await import('./commands/records.js')).recordCommand(name),
  })),
  { name: 'import', load: async () => (await import('./commands/import.js')).addImportCommand },
  { name: 'export', load: async () => (await import('./commands/export.js')).addExportCommand },
  { name: 'import-all', load: async () => (await import('./commands/import-all.js')).addImportAllCommand },
  { name: 'duplicates', load: async () => (await import('./commands/duplicates.js')).addDuplicatesCommand },
  { name: 'merge', load: async () => (await import('./commands/merge.js')).addMergeCommand },
  { name: 'restore', load: async () => (await import('./commands/restore.js')).addRestoreCommand },
  { name: 'types', load: async () => (await import('./commands/types.js')).addTypesCommand },
  { name: 'mcp', load: async () => (await import('./commands/mcp.js')).addMcpCommand },
  {
    name: 'events',
    group: 'the change log',
    load: async () => [
      (await import('./commands/events-tail.js')).addEventsTailCommand,
      (await import('./commands/events-export.js')).addEventsExportCommand,
    ],
  },
  {
    name: 'webhook',
    group: 'receivers of events',
    load: async () => [(await import('./commands/listen.js')).addListenCommand],
  },
  { name: 'doctor', load: async () => (await import('./commands/doctor.js')).addDoctorCommand },
  { name: 'explain', load: async () => (await import('./commands/explain.js')).addExplainCommand },
  { name: 'rebuild', load: async () => (await import('./commands/database.js')).addRebuildCommand },
  { name: 'audit', load: async () => (await import('./commands/database.js')).addAuditCommand },
  { name: 'backup', load: async () => (await import('./commands/backup.js')).addBackupCommand },
  { name: 'restore-backup', load: async () => (await import('./commands/backup.js')).addRestoreBackupCommand },
  {
    name: 'completion',
    load: async () => (await import('./commands/completion.js')).addCompletionCommand(entries.map(({ name }) => name)),
  },
];

/**
 * Builds the `crm` program.
 * @param used - the name of the only command that is needed; by default all are loaded
 */
export const createProgram = async (context: CliContext, used?: string): Promise<Command> => {
  const program = new Command('crm')
    .description('Run and administer the CRM API.')
    .helpCommand(false)
    .enablePositionalOptions()
    .version(version(), '--version', 'show the version')
    .showHelpAfterError('(add --help for examples)')
    .addHelpText('after', introduction)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(printable(text)),
      writeErr: (text) => context.stderr.write(printable(text)),
    });
  const only = entries.filter(({ name }) => name === used);
  // Help and an unknown command need all of them.
  for (const { name, group, load } of used === '--version' || only.length > 0 ? only : entries) {
    const added = [await load()].flat();
    const parent = group === undefined ? program : program.command(name).description(group).helpCommand(false);
    for (const add of added) add(parent, context);
    if (group !== undefined) parent.addHelpText('after', `\nFor examples: crm ${name} COMMAND --help`);
  }
  return program;
};

/** Runs one command line and returns the exit code. Errors are printed without a stack trace. */
export const runCli = async (args: readonly string[], context: CliContext): Promise<ExitCode> => {
  try {
    const program = await createProgram(context, args[0]);
    await program.parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    // Commander has already printed its message. Help that the user requested is not an error.
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.ok;
      return showError(context, args, error.message, exitCodes.usage, true);
    }
    if (!(error instanceof CliError)) return showError(context, args, errorText(error), exitCodes.failure, false);
    // With an empty message, the command has already printed the failure.
    if (error.message === '') return error.exitCode;
    return showError(context, args, error.message, error.exitCode, false, error.details);
  }
};

const showError = (
  context: CliContext,
  args: readonly string[],
  message: string,
  exitCode: ExitCode,
  isShown: boolean,
  details: Readonly<Record<string, unknown>> = {},
): ExitCode => {
  if (!isShown) context.stderr.write(`crm: ${printable(message)}\n`);
  // With --json a failure prints one object on stdout too.
  if (args.includes('--json')) {
    context.stdout.write(`${jsonLine({ error: { message, exit_code: exitCode, ...details } })}\n`);
  }
  return exitCode;
};
