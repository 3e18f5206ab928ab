import { nearestName } from '@crm/domain';
import type { Command } from 'commander';

import { usageError } from '../errors.js';

const examples = `
Examples:
  $ crm help
  $ crm help key create`;

/** Adds `crm help`, which finds commands at any depth. */
export const addHelpCommand = (program: Command): void => {
  program
    .command('help')
    .description('show the help of a command')
    .argument('[command...]', 'the command, as in: key create')
    .addHelpText('after', examples)
    .action((words: readonly string[]) => findCommand(program, words).help());
};

const findCommand = (program: Command, words: readonly string[]): Command => {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((child) => child.name() === word);
    if (next === undefined) throw unknownCommand(command, words);
    command = next;
  }
  return command;
};

const unknownCommand = (parent: Command, words: readonly string[]): Error => {
  const names = parent.commands.map((child) => child.name());
  const near = words.map((word) => nearestName(word, names)).find((name) => name !== undefined);
  const text = `There is no command ${words.join(' ')}`;
  if (names.length === 0) return usageError(`${text}. ${parent.name()} has no subcommands.`);
  return usageError(
    near === undefined ? `${text}. The commands are: ${names.join(', ')}.` : `${text}. Did you mean ${near}?`,
  );
};
