// Writes docs/cli.md from the help of every command, or with `--check` compares it with what is there.
import { readFile, writeFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';

import { createProgram } from '../dist/program.js';

const path = new URL('../../../docs/cli.md', import.meta.url);

const sink = new PassThrough().resume();
const program = createProgram({ env: {}, stdout: sink, stderr: sink, onInterrupt: () => new AbortController().signal });

/** The whole help of a command, including the text after its options. */
const helpOf = (command) => {
  let text = '';
  // Widths of terminals differ, and so would the lines of the page.
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => 110,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.trimEnd();
};

const sectionsOf = (command, name) => {
  const own = `## ${name}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`;
  return [own, ...command.commands.flatMap((child) => sectionsOf(child, `${name} ${child.name()}`))];
};

const page = `# The command line

What each command says of itself with \`--help\`, written by \`npm run reference\`. What holds for all of them is in
[packages/cli](../packages/cli/README.md).

${sectionsOf(program, 'crm').join('\n')}`;

if (!process.argv.includes('--check')) await writeFile(path, page);
else if ((await readFile(path, 'utf8').catch(() => '')) !== page) {
  process.exitCode = 1;
  console.error('docs/cli.md is not what the commands say. Run: npm run reference');
}
