import type { CommandNode } from './command-tree.js';

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const linesOf = ({ path, commands, options, choices, takesFile }: CommandNode): readonly string[] => {
  const here = `complete -c crm -n ${quoted(`__crm_at '${path}'`)}`;
  return [
    // Offers no file names where a command or a choice is expected.
    ...(!takesFile && commands.length + choices.length > 0 ? [`${here} -f`] : []),
    ...commands.map(({ name, description }) => `${here} -a ${quoted(name)} -d ${quoted(description)}`),
    ...(choices.length > 0 ? [`${here} -a ${quoted(choices.join(' '))}`] : []),
    ...options.map(({ name, description, takesValue, choices: values }) => {
      const value = values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r -F' : '';
      return `${here} -l ${name.replace(/^--/, '')}${value} -d ${quoted(description)}`;
    }),
  ];
};

/** The completion script for fish, with a description of each candidate. */
export const fishCompletion = (nodes: readonly CommandNode[]): string => `# fish completion for crm
function __crm_at
  set -l at crm
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${nodes.map(({ path }) => quoted(path)).join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end

${nodes.flatMap(linesOf).join('\n')}
`;
