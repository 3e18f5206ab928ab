import type { Argument, Command, Option } from 'commander';

/** A subcommand or an option that completion offers. */
export interface Candidate {
  readonly name: string;
  readonly description: string;
}

/** An option of a command. */
export interface OptionCandidate extends Candidate {
  readonly takesValue: boolean;
  /** The allowed values; empty if any text is allowed. */
  readonly choices: readonly string[];
}

/** One command with its subcommands, options and arguments. */
export interface CommandNode {
  /** As it is typed, without options: `crm key create`. */
  readonly path: string;
  readonly commands: readonly Candidate[];
  readonly options: readonly OptionCandidate[];
  /** The allowed values of its first argument; empty if any text or file is allowed. */
  readonly choices: readonly string[];
  /** Whether its first argument may be a file. */
  readonly takesFile: boolean;
}

const helpOption: OptionCandidate = { name: '--help', description: 'show help', takesValue: false, choices: [] };

/** Shortens a description to its first clause, because each candidate gets one line. */
const shortened = (description: string): string => description.split(/[;:(\n]/)[0]?.trim() ?? '';

const toOption = ({ long, description, required, optional, argChoices }: Option): readonly OptionCandidate[] =>
  long === undefined
    ? []
    : [
        {
          name: long,
          description: shortened(description),
          takesValue: required || optional,
          choices: argChoices ?? [],
        },
      ];

const firstChoices = ([first]: readonly Argument[]): readonly string[] => first?.argChoices ?? [];

/** All commands, each before its subcommands. */
export const commandNodes = (command: Command, parentPath = ''): readonly CommandNode[] => {
  const path = `${parentPath} ${command.name()}`.trim();
  const node: CommandNode = {
    path,
    commands: command.commands.map((child) => ({ name: child.name(), description: shortened(child.description()) })),
    options: [...command.options.flatMap(toOption), helpOption],
    choices: firstChoices(command.registeredArguments),
    takesFile: command.registeredArguments[0]?.name() === 'file',
  };
  return [node, ...command.commands.flatMap((child) => commandNodes(child, path))];
};
