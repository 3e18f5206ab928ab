import { Argument, type Command } from 'commander';

import { listOperations } from '../api/find-operation.js';
import { type CliContext } from '../cli-context.js';

const examples = `
Examples:
  $ source <(crm completion bash)      in ~/.bashrc
  $ source <(crm completion zsh)       in ~/.zshrc`;

const words = (list: readonly string[]): string =>
  `COMPREPLY=($(compgen -W '${[...new Set(list)].join(' ')}' -- "$word"))`;

/** A script for bash that completes the commands of `crm`, and the methods and paths of `crm api`. */
const bashScript = (commands: readonly string[]): string => {
  const operations = listOperations().map(({ method, path }) => ({ method: method.toUpperCase(), path }));
  const methods = [...new Set(operations.map(({ method }) => method))];
  const pathsOf = (method: string) => operations.filter((each) => each.method === method).map(({ path }) => path);
  return `_crm() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  case "$COMP_CWORD \${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
  '1 '*) ${words(commands)} ;;
  '2 api '*) ${words(methods)} ;;
${methods.map((method) => `  '3 api ${method}') ${words(pathsOf(method))} ;;`).join('\n')}
  *) COMPREPLY=() ;;
  esac
}
complete -o default -F _crm crm
`;
};

/** Adds `crm completion`. @param commands - the names of all commands */
export const addCompletionCommand =
  (commands: readonly string[]) =>
  (program: Command, context: CliContext): void => {
    program
      .command('completion')
      .description('print a script that completes commands and paths in the shell')
      .addArgument(new Argument('<shell>').choices(['bash', 'zsh']))
      .addHelpText('after', examples)
      .action((shell: string) => {
        const start = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
        context.stdout.write(`${start}${bashScript(commands)}`);
      });
  };
