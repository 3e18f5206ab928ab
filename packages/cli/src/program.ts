import { Command, CommanderError } from 'commander';

import { type CliContext, printable } from './cli-context.js';
import type { AddCommand } from './command.js';
import { addBackupCommand, addRestoreBackupCommand } from './commands/backup.js';
import {
  addAuditCommand,
  addDistributeCommand,
  addMigrateCommand,
  addRebuildCommand,
  addRolesApplyCommand,
} from './commands/database.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addDuplicatesCommand } from './commands/duplicates.js';
import { addEventsExportCommand } from './commands/events-export.js';
import { addEventsTailCommand } from './commands/events-tail.js';
import { addExplainCommand } from './commands/explain.js';
import { addExportCommand } from './commands/export.js';
import { addImportAllCommand } from './commands/import-all.js';
import { addImportCommand } from './commands/import.js';
import { keyCommands } from './commands/keys.js';
import { addMcpCommand } from './commands/mcp.js';
import { addMergeCommand } from './commands/merge.js';
import { organizationCommands } from './commands/organizations.js';
import { addRestoreCommand } from './commands/restore.js';
import { addStartCommand } from './commands/start.js';
import { addTypesCommand } from './commands/types.js';
import { webhookCommands } from './commands/webhooks.js';
import { CliError, errorText, exitCodes, type ExitCode } from './errors.js';
import { addApplyCommand } from './setup/apply.js';
import { setupCommands } from './setup/commands.js';
import { addFieldListCommand, addMemberListCommand, addPipelineListCommand } from './setup/list-commands.js';
import { addSetupCommand } from './setup/make-command.js';
import { version } from './version.js';

const introduction = `
Start here:
  $ crm start                 the whole stack on this machine, with a demo organization
  $ crm import --help         import your data
  $ crm export --help         export your data
  $ crm key create --help     create an API key
  $ crm doctor                find problems and what to do about them

Exit codes: 0 ok, 1 failure, 2 wrong command line, 78 wrong configuration.`;

/** The set-up commands of a group. */
const setupOf = (group: string): readonly AddCommand[] =>
  setupCommands.filter(({ name }) => name.startsWith(`${group} `)).map(addSetupCommand);

/** A group of commands: its name, its description and its commands. */
type Group = readonly [name: string, description: string, commands: readonly AddCommand[]];

/** All commands, in the order of the help. */
const commands: readonly (AddCommand | Group)[] = [
  addStartCommand,
  addMigrateCommand,
  addDistributeCommand,
  ['roles', 'database roles of the gateways', [addRolesApplyCommand]],
  ['org', 'organizations', organizationCommands],
  ['member', 'members of an organization', [...setupOf('member'), addMemberListCommand]],
  ['pipeline', 'pipelines and their stages', [...setupOf('pipeline'), addPipelineListCommand]],
  ['stage', 'stages of a pipeline', setupOf('stage')],
  ['field', 'custom fields', [...setupOf('field'), addFieldListCommand]],
  ['option', 'options of select, radio and multi_select fields', setupOf('option')],
  ['key', 'API keys', keyCommands],
  addApplyCommand,
  addImportCommand,
  addExportCommand,
  addImportAllCommand,
  addDuplicatesCommand,
  addMergeCommand,
  addRestoreCommand,
  addTypesCommand,
  addMcpCommand,
  ['events', 'the change log', [addEventsTailCommand, addEventsExportCommand]],
  ['webhook', 'receivers of events', webhookCommands],
  addDoctorCommand,
  addExplainCommand,
  addRebuildCommand,
  addAuditCommand,
  addBackupCommand,
  addRestoreBackupCommand,
];

/** Builds the `crm` program with all its commands. */
export const createProgram = (context: CliContext): Command => {
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
  for (const entry of commands) {
    if (typeof entry === 'function') {
      entry(program, context);
      continue;
    }
    const [name, description, members] = entry;
    const group = program.command(name).description(description).helpCommand(false);
    for (const add of members) add(group, context);
    group.addHelpText('after', `\nFor examples: crm ${name} COMMAND --help`);
  }
  return program;
};

/** Runs one command line and returns the exit code. Errors are printed without a stack trace. */
export const runCli = async (args: readonly string[], context: CliContext): Promise<ExitCode> => {
  try {
    await createProgram(context).parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    // Commander has already printed its message. Help that the user requested is not an error.
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.ok;
      return showError(context, args, error.message, exitCodes.usage, true);
    }
    if (!(error instanceof CliError)) return showError(context, args, errorText(error), exitCodes.failure, false);
    // With an empty message, the command has already printed the failure.
    return error.message === '' ? error.exitCode : showError(context, args, error.message, error.exitCode, false);
  }
};

const showError = (
  context: CliContext,
  args: readonly string[],
  message: string,
  exitCode: ExitCode,
  isShown: boolean,
): ExitCode => {
  if (!isShown) context.stderr.write(`crm: ${printable(message)}\n`);
  // With --json a failure prints one object on stdout too.
  if (args.includes('--json')) {
    context.stdout.write(`${JSON.stringify({ error: { message, exit_code: exitCode } })}\n`);
  }
  return exitCode;
};
