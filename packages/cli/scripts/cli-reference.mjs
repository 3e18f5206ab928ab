// Writes docs/cli.md from the help of every command, or with `--check` compares it with the existing file.
import { readFile, writeFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';

import { createProgram } from '../dist/program.js';

const path = new URL('../../../docs/cli.md', import.meta.url);
/** An option that at least this many commands have is described once, at the top of the page. */
const commonFrom = 10;

const sink = new PassThrough().resume();
const program = await createProgram({
  env: {},
  stdout: sink,
  stderr: sink,
  onInterrupt: () => new AbortController().signal,
});

const descendants = (command) => [command, ...command.commands.flatMap(descendants)];
/** The commands that do something: a group such as `crm org` only has commands. */
const leavesOf = (command) => descendants(command).filter((each) => each.commands.length === 0 || each._actionHandler);

const helper = program.createHelp();
helper.helpWidth = 120;
const optionsOf = (command) => helper.visibleOptions(command).filter(({ long }) => long !== '--help');
const keyOf = (option) => `${option.flags}: ${helper.optionDescription(option)}`;

const counts = new Map();
for (const option of descendants(program).flatMap(optionsOf)) {
  counts.set(keyOf(option), [option, (counts.get(keyOf(option))?.[1] ?? 0) + 1]);
}
const common = new Map(
  [...counts].filter(([, [, count]]) => count >= commonFrom).map(([key, [option]]) => [key, option]),
);

/** Lines of two columns: terms, and what each one means. */
const table = (rows) => {
  const width = Math.max(...rows.map(([term]) => term.length));
  return rows.map(([term, description]) => helper.formatItem(term, width, description, helper));
};
const optionRow = (option) => [helper.optionTerm(option), helper.optionDescription(option)];

/** The first example of a command's help, with the lines that continue it. */
const exampleOf = (command) => {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHasColors: () => false });
  command.outputHelp();
  const [example] = /^ *\$ (?!export )(?:.*\\\n)*.*/m.exec(text) ?? [];
  return example === undefined ? [] : [`  ${example.trim()}`];
};

/** The names of the common options of a command. */
const commonOf = (command) =>
  optionsOf(command)
    .flatMap((option) => (common.has(keyOf(option)) ? [option.long] : []))
    .join(' ');

/** A command, without its common options if they are those of its section. */
const blockOf = (command, commonOfSection) => {
  const own = optionsOf(command).filter((option) => !common.has(keyOf(option)));
  const rows = [
    ...helper.visibleArguments(command).map((each) => [helper.argumentTerm(each), helper.argumentDescription(each)]),
    ...own.map(optionRow),
    ...(commonOf(command) === commonOfSection ? [] : [['common', commonOf(command)]]),
  ];
  const usage = helper.commandUsage(command).replace(' [options]', '').replace(' [command]', '');
  return [`${usage}    ${command.description()}`, ...table(rows), ...exampleOf(command)].join('\n');
};

/** What follows the block of a command here, because it is too long for its help. */
const notes = {
  api: `
Recipes. An id comes from a list: \`crm api GET /v1/pipelines\`, \`/v1/pipelines/ID/stages\`, \`/v1/members\`, \`/v1/opportunities/fields\`,
\`/v1/webhooks\`. For several changes that belong together, use \`crm apply\`, which knows names.

| To                                  | \`crm api …\`                                                                                          |
| ----------------------------------- | ---------------------------------------------------------------------------------------------------- |
| create a pipeline                   | \`POST /v1/inbound/pipelines '{"name": "Sales", "stages": [{"label": "New"}, {"label": "Won"}]}'\`     |
| rename or archive a pipeline        | \`PATCH /v1/inbound/pipelines/ID -f name="New business"\`, \`-f is_active=false\`                        |
| add a stage                         | \`POST /v1/inbound/pipelines/ID/stages -f label="Contract sent" -f position=3 -f probability=80\`      |
| rename, move or change a stage      | \`PATCH /v1/inbound/stages/ID -f label=Negotiating -f position=2 -f is_default=true\`                  |
| archive a stage, and move its deals | \`PATCH /v1/inbound/stages/ID -f is_active=false -f move_opportunities_to=ID\`                         |
| delete a stage without deals        | \`DELETE /v1/inbound/stages/ID\`                                                                       |
| define a custom field               | \`POST /v1/inbound/fields -f object=account -f slug=tier -f current_name=Tier -f attribute_type=text\` |
| rename, hide or archive a field     | \`PATCH /v1/inbound/fields/ID -f current_name="Where from" -f is_hidden=true\`                         |
| add an option                       | \`POST /v1/inbound/fields/ID/options -f label=Partner -f value=partner -f color=green\`                |
| archive an option                   | \`PATCH /v1/inbound/fields/ID/options -f value=event -f is_active=false\`                              |
| add a member                        | \`POST /v1/inbound/members -f email=ann@acme.com -f name="Ann Lee"\`                                   |
| remove a member, and keep the owner | \`DELETE /v1/inbound/members/ID -f opportunities=keep\`                                                |
| remove a member, and give the deals | \`DELETE /v1/inbound/members/ID -f reassign_to=ID\`                                                    |
| add a webhook                       | \`POST /v1/inbound/webhooks -f url=https://hooks.example.com/crm -f objects=opportunity\`              |
| pause or continue a webhook         | \`PATCH /v1/inbound/webhooks/ID -f state=paused\`, \`-f state=active\`                                   |
| send events again, or give them up  | \`POST /v1/inbound/webhooks/ID/replay -f from=1 -f to=42\`, \`…/skip -f parked=true\`                    |
| read all deals                      | \`GET /v1/opportunities -f pipeline_id=all --paginate\`                                                |
`,
  apply: `
What a file means:

- **Matching.** A list is matched as a whole, and no stored object has two entries. An entry whose \`was\` is an id takes this
  object. An entry whose \`was\` is an old name takes the object with this name, unless the new name exists already: then it was
  renamed before. So \`[Lead, {label: Qualified, was: Lead}]\` splits a stage, and a second run changes nothing. What can be read
  in two ways is refused with the lines: two entries for one object, and names that were exchanged (\`A was B\`, \`B was A\`), as
  nothing says whether that has happened. Ids say it: \`{label: A, was: 0192…}\`. Options are found by their \`value\`, fields by
  object and slug, webhooks by URL.
- **Order.** Renames, each when its new name is free (names that are exchanged get a temporary one), then new entries and moves,
  and what is archived last. \`move_to: LABEL\` beside \`archived: true\` names the stage that gets the opportunities of an archived
  stage. With \`--api-key\`, the command repeats the call for each 10,000 of them. If a move stops halfway, the next run moves
  what is left in the archived stage.
- **Before the first change** the command refuses what the API would refuse: limits, lengths, options, a pipeline without stages, a
  stage with opportunities, unknown names in \`changed\` of a webhook, and a new currency of a field with values. For that, write
  \`reinterpret_values: true\` beside the new currency: the numbers stay and become amounts in it. Afterwards
  it plans again. \`Applied\` means that nothing differs; otherwise it prints what differs and exits with 1.
- **If it stops**, it says how many changes were made. Run it again to continue. With \`--api-key\` it waits if the gateway asks for
  that (429 or 503 with \`Retry-After\`), ten minutes for one call.
- **Secrets** of new webhooks are printed when they are made: on stdout, or on stderr with \`--json\`. Its one object has them too
  (\`secrets\`), also if the run fails (\`{plan, applied: false, changes, secrets, error}\`).

Compared with others: Terraform's \`moved {from, to}\` is the model of \`was\`. It is followed if the old address is known, is ignored
if it is not, follows chains, and may stay in the file for good. Terraform knows which moves were made,
because it keeps a state file with ids. \`crm apply\` has no state besides the organization, so it needs an id where names are
exchanged. Like \`terraform plan -detailed-exitcode\`, \`--dry-run --exit-code\` returns 2 if there are differences. Ansible's check
mode (\`--check\`) asks each module what it would do, one task after the other: modules without check mode are skipped, and a task
that needs the result of an earlier one cannot be predicted. The plan of \`crm apply\` is made of the whole file before anything
runs, so \`--dry-run\` prints exactly the calls of a run. Neither of them plans again after a run; \`crm apply\` does.
`,
};

const sections = program.commands.map((group) => {
  const commands = leavesOf(group);
  // The common options of the section are those that two of its commands share.
  const shared = commands.map(commonOf).find((names, index, all) => all.indexOf(names) < index);
  const blocks = commands.map((command) => blockOf(command, shared)).join('\n\n');
  return `## crm ${group.name()}\n\n\`\`\`text\n${shared === undefined ? '' : `common  ${shared}\n\n`}${blocks}\n\`\`\`\n${notes[group.name()] ?? ''}`;
});

const page = `# The command line

Every command with its options and an example; \`npm run reference\` generates this page. \`crm <command> --help\` says more about
each. For what all commands share, see [packages/cli](../packages/cli/README.md). Exit codes: 0 ok, 1 failure, 2 wrong command
line, 78 wrong configuration. In a clone, write \`npx @crm/cli\` for \`crm\`. [setup.yaml](../packages/cli/examples/setup.yaml) is an
example for \`crm apply\`.

Options that many commands have. The line \`common\` of a command names those it takes; without one, that of its section does.

\`\`\`text
${table([...common.values()].map(optionRow)).join('\n')}
\`\`\`

${sections.join('\n')}`;

if (!process.argv.includes('--check')) await writeFile(path, page);
else if ((await readFile(path, 'utf8').catch(() => '')) !== page) {
  process.exitCode = 1;
  console.error('docs/cli.md does not match the help of the commands. Run: npm run reference');
}
