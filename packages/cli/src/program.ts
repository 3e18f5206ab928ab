import { Command, CommanderError } from 'commander';

import { type CliContext, printable } from './cli-context.js';
import { addApplyCommand } from './commands/apply.js';
import { addAuditCommand } from './commands/audit.js';
import { addCompletionCommand } from './commands/completion.js';
import { addDistributeCommand } from './commands/distribute.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addDuplicatesCommand } from './commands/duplicates.js';
import { addEventsExportCommand } from './commands/events-export.js';
import { addEventsTailCommand } from './commands/events-tail.js';
import { addExplainCommand } from './commands/explain.js';
import { addExportCommand } from './commands/export.js';
import { addFieldArchiveCommand, addFieldRestoreCommand } from './commands/field-archive.js';
import { addFieldDefineCommand } from './commands/field-define.js';
import { addFieldListCommand } from './commands/field-list.js';
import { addFieldUpdateCommand } from './commands/field-update.js';
import { addHelpCommand } from './commands/help.js';
import { addImportCommand } from './commands/import.js';
import { addKeyCreateCommand } from './commands/key-create.js';
import { addKeyCheckCommand } from './commands/key-check.js';
import { addKeyListCommand } from './commands/key-list.js';
import { addKeyRevokeCommand } from './commands/key-revoke.js';
import { addKeyRotateCommand } from './commands/key-rotate.js';
import { addMcpCommand } from './commands/mcp.js';
import { addMemberAddCommand } from './commands/member-add.js';
import { addMemberListCommand } from './commands/member-list.js';
import { addMemberRemoveCommand } from './commands/member-remove.js';
import { addMemberUpdateCommand } from './commands/member-update.js';
import { addMergeCommand } from './commands/merge.js';
import { addMigrateCommand } from './commands/migrate.js';
import { addOrgCreateCommand } from './commands/org-create.js';
import { addOrgLimitCommand } from './commands/org-limit.js';
import { addOrgListCommand } from './commands/org-list.js';
import { addOrgUpdateCommand } from './commands/org-update.js';
import { addPipelineCreateCommand } from './commands/pipeline-create.js';
import { addPipelineListCommand } from './commands/pipeline-list.js';
import { addPipelineUpdateCommand } from './commands/pipeline-update.js';
import { addRebuildCommand } from './commands/rebuild.js';
import { addRolesApplyCommand } from './commands/roles-apply.js';
import { addStageAddCommand } from './commands/stage-add.js';
import { addStageArchiveCommand } from './commands/stage-archive.js';
import { addStageMoveCommand, addStageUpdateCommand } from './commands/stage-update.js';
import { addStartCommand } from './commands/start.js';
import { CliError, errorText, exitCodes, type ExitCode } from './errors.js';
import { version } from './version.js';

const introduction = `
Start here:
  $ npm start                 the whole stack on this machine, with a demo organization
  $ crm import --help         import your data
  $ crm export --help         export your data
  $ crm key create --help     create an API key
  $ crm doctor                find problems and what to do about them

Exit codes: 0 ok, 1 failure, 2 wrong command line, 78 wrong configuration.`;

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
  addStartCommand(program, context);
  addMigrateCommand(program, context);
  addDistributeCommand(program, context);
  addGroup(program, context, 'roles', 'database roles of the gateways', [addRolesApplyCommand]);
  addGroup(program, context, 'org', 'organizations', [
    addOrgCreateCommand,
    addOrgUpdateCommand,
    addOrgLimitCommand,
    addOrgListCommand,
  ]);
  addGroup(program, context, 'member', 'members of an organization', [
    addMemberAddCommand,
    addMemberListCommand,
    addMemberUpdateCommand,
    addMemberRemoveCommand,
  ]);
  addGroup(program, context, 'pipeline', 'pipelines and their stages', [
    addPipelineCreateCommand,
    addPipelineUpdateCommand,
    addPipelineListCommand,
  ]);
  addGroup(program, context, 'stage', 'stages of a pipeline', [
    addStageAddCommand,
    addStageUpdateCommand,
    addStageMoveCommand,
    addStageArchiveCommand,
  ]);
  addGroup(program, context, 'field', 'custom fields', [
    addFieldDefineCommand,
    addFieldUpdateCommand,
    addFieldArchiveCommand,
    addFieldRestoreCommand,
    addFieldListCommand,
  ]);
  addGroup(program, context, 'key', 'API keys', [
    addKeyCreateCommand,
    addKeyRotateCommand,
    addKeyListCommand,
    addKeyCheckCommand,
    addKeyRevokeCommand,
  ]);
  addApplyCommand(program, context);
  addImportCommand(program, context);
  addExportCommand(program, context);
  addDuplicatesCommand(program, context);
  addMergeCommand(program, context);
  addGroup(program, context, 'events', 'the change log', [addEventsTailCommand, addEventsExportCommand]);
  addMcpCommand(program, context);
  addDoctorCommand(program, context);
  addExplainCommand(program, context);
  addRebuildCommand(program, context);
  addAuditCommand(program, context);
  addCompletionCommand(program, context);
  addHelpCommand(program);
  return program;
};

type AddCommand = (parent: Command, context: CliContext) => void;

const addGroup = (
  program: Command,
  context: CliContext,
  name: string,
  description: string,
  commands: readonly AddCommand[],
): void => {
  const group = program.command(name).description(description).helpCommand(false);
  for (const add of commands) add(group, context);
  group.addHelpText('after', `\nFor examples: crm ${name} COMMAND --help`);
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
