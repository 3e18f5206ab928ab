import type { Command } from 'commander';

import { type CliContext, printResult } from './cli-context.js';
import { CliError, type ExitCode } from './errors.js';
import type { OutputOptions } from './options.js';

/** Adds a command to its parent: to `crm` or to a group. */
export type AddCommand = (parent: Command, context: CliContext) => void;

/** What a command prints: an object with `--json`, otherwise a text. */
export interface Result {
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Ends the process with this code after printing. By default it is 0. */
  readonly exitCode?: ExitCode;
}

/** A command: its name, its help, and what it does with the thing that is opened for it. */
export interface CommandDefinition<Session, Options, Args extends readonly unknown[]> {
  readonly name: string;
  readonly description: string;
  /** Follows the list of options; with examples. */
  readonly help?: string;
  /** Adds arguments and options. */
  readonly define?: (command: Command) => Command;
  readonly run: (
    session: Session & { readonly context: CliContext },
    options: Options,
    ...args: Args
  ) => Promise<Result>;
}

/**
 * Returns a function that makes commands which work on the same thing, such as a database. Such a command opens it,
 * works on it, closes it and prints the result.
 *
 * @param withOptions - adds the options that say what to open
 */
export const commandsOn =
  <Base extends OutputOptions, Session extends object>(
    withOptions: (command: Command) => Command,
    open: (context: CliContext, options: Base, work: (session: Session) => Promise<Result>) => Promise<Result>,
  ) =>
  <Options extends Base, Args extends readonly unknown[]>({
    name,
    description,
    help = '',
    define = (command) => command,
    run,
  }: CommandDefinition<Session, Options, Args>): AddCommand =>
  (parent, context) => {
    const command = withOptions(define(parent.command(name).description(description)).addHelpText('after', help));
    command.action(async () => {
      const options = command.opts<Options>();
      const args = command.processedArgs as unknown as Args;
      const result = await open(context, options, (session) => run({ ...session, context }, options, ...args));
      printResult(context, options, result);
      if (result.exitCode !== undefined) throw new CliError('', result.exitCode);
    });
  };
