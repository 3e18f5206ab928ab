import type { Argument, Command, Option } from 'commander';

/** An option, or a command below another one, as completion offers it. */
export interface Candidate {
  readonly name: string;
  readonly description: string;
}

/** An option of a command. */
export interface OptionCandidate extends Candidate {
  readonly takesValue: boolean;
  /** The values that it takes; empty where any text will do. */
  readonly choices: readonly string[];
}

/** One command, with what may follow it. */
export interface CommandNode {
  /** As it is typed, without options: `crm key create`. */
  readonly path: string;
  readonly commands: readonly Candidate[];
  readonly options: readonly OptionCandidate[];
  /** What its first argument may be; empty where any text or file will do. */
  readonly choices: readonly string[];
  /** Whether its first argument may be a file. */
  readonly takesFile: boolean;
}

const helpOption: OptionCandidate = { name: '--help', description: 'show help', takesValue: false, choices: [] };

/** The first sentence or clause: a list of candidates has a line for each. */
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

/** Every command with what may follow it, the outermost first. */
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
