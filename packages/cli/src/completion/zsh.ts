import type { Candidate, CommandNode } from './command-tree.js';

/** `name:description` in single quotes, as `_describe` reads it. */
const described = ({ name, description }: Candidate): string =>
  `'${`${name.replaceAll(':', '\\:')}:${description}`.replaceAll("'", "'\\''")}'`;

const optionValues = ({ path, options }: CommandNode): readonly string[] =>
  options
    .filter(({ takesValue }) => takesValue)
    .map(({ name, choices }) => {
      const offer = choices.length === 0 ? '_files' : `compadd -- ${choices.join(' ')}`;
      return `    '${path} ${name}') ${offer}; return ;;`;
    });

const list = (name: string, candidates: readonly Candidate[]): string =>
  `${name}=(${candidates.map(described).join(' ')})`;

const candidates = ({ path, commands, options, choices }: CommandNode): string => {
  const following = [...commands, ...choices.map((name) => ({ name, description: '' }))];
  return `    '${path}')\n      ${list('commands', following)}\n      ${list('options', options)} ;;`;
};

/** The completion script for zsh, with a description of each candidate. */
export const zshCompletion = (nodes: readonly CommandNode[]): string => `#compdef crm
_crm() {
  local at=crm i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      ${nodes.map(({ path }) => `'${path}'`).join(' | ')}) at="$at \${words[i]}" ;;
    esac
  done
  # The value of an option: one of its choices, or else a file name.
  case "$at \${words[CURRENT - 1]}" in
${nodes.flatMap(optionValues).join('\n')}
  esac
  case $at in
${nodes.map(candidates).join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe option options
  else
    (( \${#commands} )) && _describe command commands
    case $at in
      ${nodes
        .filter(({ commands, choices, takesFile }) => takesFile || commands.length + choices.length === 0)
        .map(({ path }) => `'${path}'`)
        .join(' | ')}) _files ;;
    esac
  fi
}

# Completes at once if autoloaded from fpath; registers itself if evaluated.
if [ "\${funcstack[1]}" = _crm ]; then _crm "$@"; else compdef _crm crm; fi
`;
