/** @needs curl python3 */
import { readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { bodyText, type OpenApiDocument, readSamples, variablesOf } from '@crm/reference';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { BashSession } from './support/bash-session.js';
import { type ExampleRequest, exampleRequests } from './support/document-examples.js';
import { runCrm } from './support/run-crm.js';
import { type OwnStack, startOwnStack } from './support/running-stack.js';
import { readShellExamples, type ShellExample, shownPart } from './support/shell-examples.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const guide = readFileSync(join(root, 'packages/reference/guides/get-started.md'), 'utf8');
const [firstCall, addresses, ...records] = readShellExamples(guide) as [ShellExample, ShellExample, ...ShellExample[]];
const createRecords = records.map(({ commands }) => commands).join('\n');
const gateways = ['inbound', 'read'] as const;
const documentOf = (gateway: 'inbound' | 'read') =>
  JSON.parse(readFileSync(join(root, `docs/openapi/${gateway}-gateway.json`), 'utf8')) as OpenApiDocument;
const samples = gateways.flatMap((gateway) => readSamples(documentOf(gateway), gateway));
const variables = [...variablesOf(samples), 'CRM_READ_URL', 'CRM_INBOUND_URL', 'CRM_API_KEY'];
/** The samples that delete come last, in an order in which nothing uses the deleted record. */
const deletions = ['Note', 'Opportunity', 'Contact', 'Account', 'Member', 'Stage', 'Field', 'Webhook'].map(
  (name) => `delete${name}`,
);
const placeOf = ({ operation, request }: (typeof samples)[number]): number =>
  request.method === 'DELETE' ? deletions.indexOf(operation.operationId) : -1;
const inOrder = samples.toSorted((one, other) => placeOf(one) - placeOf(other));
const nameOf = ({ operation, request }: (typeof samples)[number]): string =>
  `${operation.operationId}-${request.gateway}`;

const compilerOptions = {
  strict: true,
  skipLibCheck: true,
  target: 'es2023',
  module: 'nodenext',
  moduleDetection: 'force',
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
};

const runModules = `for (const file of process.argv.slice(1))
  await import(file).catch((error) => console.error(file, error));`;
const runScripts = `import runpy, sys, traceback
for file in sys.argv[1:]:
    try: runpy.run_path(file)
    except Exception: print(file, traceback.format_exc(), file=sys.stderr)`;
/** How each language runs files of samples in turn, and prints only the failures. A process for each sample takes ten times as long. */
const languages = [
  ['curl', 'sh', 'each() { for file; do bash -eo pipefail "$file" || echo "$file" >&2; done; }; each'],
  ['typescript', 'mjs', `node --input-type=module -e '${runModules}' --`],
  ['python', 'py', `python3 -c '${runScripts}'`],
] as const;

let stack: OwnStack;
let session: BashSession;
const run = async (commands: string): Promise<string> => {
  const { exitCode, stdout, stderr } = await session.run(commands);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
};
const crm = async (...args: string[]): Promise<Record<string, string>> => {
  const { stdout, stderr } = await runCrm([...args, '--json'], stack.env);
  return JSON.parse(stdout === '' ? stderr : stdout) as Record<string, string>;
};

/** A sample that creates a pipeline, a field or a member succeeds only once in an organization. */
const useNewOrganization = async (name: string): Promise<void> => {
  const { organization_id: organizationId = '' } = await crm('org', 'create', name);
  await crm('apply', join(root, 'packages/cli/examples/setup.yaml'), '--org', organizationId, '--yes');
  const { api_key: key } = await crm(
    ...['key', 'create', '--org', organizationId, '--name', name],
    ...['--allow', 'list,search,inbound,bulk,delete,setup,webhooks'],
  );
  await run(`CRM_API_KEY=${key}; PIPELINE_ID=$(list pipelines | value 'data.pipelines[0].pipeline_id')`);
};

beforeAll(async () => {
  stack = await startOwnStack();
  session = new BashSession(stack.directory, { npm_config_offline: 'true' });
  await run(`${addresses.commands}\n${createRecords}`);
});
afterAll(async () => {
  session.end();
  await stack.end();
});

describe('the guide of the reference', () => {
  test('sets each variable of the samples', async () => {
    for (const name of variables) expect(await run(`printenv ${name}`)).toMatch(/^(?!undefined$|null$)./m);
  });

  test('shows the answer of its first call', async () => {
    expect(shownPart(firstCall.json, JSON.parse(await run(firstCall.commands)))).toEqual(firstCall.json);
  });
});

/**
 * Refusals that depend on the record: an earlier example has changed it, or has given the name or id to another one, or the field of
 * the samples has another type.
 */
const isOfRecord =
  /"conflict"|is (already )?used by (another|the) (option|record)|is not the current version|does not apply to fields of the type select/;

/** Sends a request of an example. @returns the refusal; null if it is accepted */
const refusalOf = async (
  { method, gateway, path, query, body }: ExampleRequest['request'],
  fill: (text: string) => string,
): Promise<string | null> => {
  const address = new URL(fill(`$${gateway}${path}`));
  for (const [name, value] of query) address.searchParams.set(name, fill(String(value)));
  const answer = await fetch(address, {
    method,
    headers: { 'x-api-key': fill('$CRM_API_KEY'), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: fill(bodyText(body)) }),
  });
  const text = await answer.text();
  if (answer.ok && !text.includes('"success":false')) return null;
  return isOfRecord.test(text) ? null : `${answer.status} ${text}`;
};

test('the samples in TypeScript compile', async () => {
  const files = samples.map((each) => join(stack.directory, `${nameOf(each)}.mts`));
  await Promise.all(files.map((file, index) => writeFile(file, samples[index]?.typescript ?? '')));
  await writeFile(join(stack.directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
  const execution = promisify(execFile)(process.execPath, [compiler, '-p', stack.directory]);
  expect(await execution.catch((error: unknown) => error)).toMatchObject({ stdout: '' });
});

test.each(languages)('the samples in %s succeed', async (language, ending, command) => {
  if (language !== 'curl') {
    await useNewOrganization(language);
    await run(createRecords);
  }
  const files = inOrder.map((each) => `./${nameOf(each)}.${ending}`);
  // The compiler has written those in TypeScript.
  if (language !== 'typescript') {
    await Promise.all(
      files.map((file, index) => writeFile(join(stack.directory, file), inOrder[index]?.[language] ?? '')),
    );
  }
  await run(`${command} ${files.join(' ')} > samples.log`);
});

test('the guide creates deleted records again', () => run(createRecords));

test('every example of a parameter, a body and a part of a body is accepted', async () => {
  await useNewOrganization('examples');
  await run(`${createRecords}
    create accounts '{ "domain": "sf.example", "external_id": "SF-0012" }' | value data.company_id
    create contacts '{ "email": "sf@sf.example", "external_id": "SF-0012" }' | value data.people_id
    create contacts '{ "email": "sf@two.example", "external_id": "SF-0013" }' | value data.people_id
    RECORD_ID=$ACCOUNT_ID
    REASSIGN_TO=$(list members | value 'data.members.find(({ name }) => name === "Ada Winter").member_id')
    MOVE_OPPORTUNITIES_TO=$(list "pipelines/$PIPELINE_ID/stages" | value 'data.stages[0].stage_id')`);
  const names = [...variables, 'DELETED_ID', 'RECORD_ID', 'REASSIGN_TO', 'MOVE_OPPORTUNITIES_TO'];
  const lines = (await run(`printf '%s\\n' ${names.map((name) => `"$${name}"`).join(' ')}`)).split('\n');
  const values = new Map(names.map((name, index) => [`$${name}`, lines[index] ?? '']));
  const fill = (text: string): string => text.replaceAll(/\$[A-Z][A-Z_]*/g, (name) => values.get(name) ?? name);
  const examples = gateways.flatMap((gateway) => exampleRequests(documentOf(gateway), gateway));
  const refused: string[] = [];
  const isDeletion = ({ request }: ExampleRequest): boolean => request.method === 'DELETE';
  for (const { title, request } of [...examples.filter((each) => !isDeletion(each)), ...examples.filter(isDeletion)]) {
    const refusal = await refusalOf(request, fill);
    if (refusal !== null) refused.push(`${title}: ${refusal}`);
  }
  expect(refused).toEqual([]);
  expect(examples.length).toBeGreaterThan(200);
});
