import { Argument, type Command } from 'commander';

import type { CliContext } from '../cli-context.js';
import { bashCompletion } from '../completion/bash.js';
import { commandNodes, type CommandNode } from '../completion/command-tree.js';
import { fishCompletion } from '../completion/fish.js';
import { zshCompletion } from '../completion/zsh.js';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const satisfies Record<
  string,
  (nodes: readonly CommandNode[]) => string
>;

type Shell = keyof typeof scripts;

const help = `
Examples:
  bash, in ~/.bashrc:
    $ eval "$(crm completion bash)"
  zsh, in ~/.zshrc after compinit:
    $ eval "$(crm completion zsh)"
  fish:
    $ crm completion fish > ~/.config/fish/completions/crm.fish

Completion works for the command crm. In the repository, define that command first: alias crm='npx crm'`;

/** Adds `crm completion`. */
export const addCompletionCommand = (program: Command, context: CliContext): void => {
  program
    .command('completion')
    .description('print a shell script that completes commands and options')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .addHelpText('after', help)
    .action((shell: Shell) => {
      context.stdout.write(scripts[shell](commandNodes(program)));
    });
};
