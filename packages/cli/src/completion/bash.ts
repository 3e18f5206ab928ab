import type { CommandNode } from './command-tree.js';

const words = (names: readonly string[]): string => names.join(' ');

const optionValues = ({ path, options }: CommandNode): readonly string[] =>
  options
    .filter(({ takesValue }) => takesValue)
    .map(({ name, choices }) => `    '${path} ${name}') _crm_offer '${words(choices)}'; return ;;`);

const candidates = ({ path, commands, options, choices, takesFile }: CommandNode): string => {
  const files = takesFile ? ' COMPREPLY+=($(compgen -f -- "$current"))' : '';
  const following = words([...commands.map(({ name }) => name), ...choices]);
  return [
    `    '${path}')`,
    `      case $current in -*) _crm_offer '${words(options.map(({ name }) => name))}' ;;`,
    `        *) _crm_offer '${following}';${files} ;; esac ;;`,
  ].join('\n');
};

/** The completion script for bash. It contains all commands and options, so pressing Tab does not run crm. */
export const bashCompletion = (nodes: readonly CommandNode[]): string => `# bash completion for crm
_crm_offer() { COMPREPLY=($(compgen -W "$1" -- "$current")); }

_crm() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} at=crm i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${nodes.map(({ path }) => `'${path}'`).join(' | ')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  # The value of an option: one of its choices, or else a file name.
  case "$at $previous" in
${nodes.flatMap(optionValues).join('\n')}
  esac
  case $at in
${nodes.map(candidates).join('\n')}
  esac
}

complete -o default -F _crm crm
`;
