// Tools that read the documents: a linter that is not ours, and Postman and Redocly, whose requests go to the gateways.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestCrm, type TestCrm } from './support/crm.js';
import { installTools, runProgram } from './support/tools.js';

const documents = fileURLToPath(new URL('../../../docs/openapi/', import.meta.url));
const redocly = fileURLToPath(new URL('../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));
const examplePipeline = '0197a3c4-5b1e-7c3a-9f00-2d6f1c0a7b11';
const tools = installTools('linters');
const testWithTools = tools === null ? test.skip : test;
const modules = join(tools ?? '', 'node_modules');

/** Spectral's own rules and those of OWASP, except for these. */
const ruleset = {
  extends: ['spectral:oas', [join(modules, '@stoplight/spectral-owasp-ruleset/dist/ruleset.js'), 'all']],
  rules: {
    // Contact details, and which environment and audience a server has, are up to the operator of the gateway.
    'info-contact': 'off',
    'owasp:api9:2023-inventory-access': 'off',
    'owasp:api9:2023-inventory-environment': 'off',
    // The documents name the addresses of `npm start`, on this machine.
    'owasp:api8:2023-no-server-http': 'off',
    // Keys belong on servers, so no web page of another origin may call the API.
    'owasp:api8:2023-define-cors-origin': 'off',
    // `/livez` and `/readyz` need no key and count against no limit.
    'owasp:api2:2023-read-restricted': 'off',
    'owasp:api4:2023-rate-limit': 'off',
    'owasp:api4:2023-rate-limit-responses-429': 'off',
    'owasp:api8:2023-define-error-responses-401': 'off',
    // Responses stay open for later versions. Redocly checks the same of requests: packages/contract/redocly-sizes.mjs.
    'owasp:api4:2023-string-limit': 'off',
    'owasp:api4:2023-string-restricted': 'off',
    'owasp:api4:2023-array-limit': 'off',
    'owasp:api4:2023-integer-limit': 'off',
  },
};

let crm: TestCrm;
let folder: string;

beforeAll(async () => {
  crm = await startTestCrm(readTestStack());
  folder = await mkdtemp(join(tmpdir(), 'crm-documents-'));
});
afterAll(async () => {
  await crm.stop();
  await rm(folder, { recursive: true, force: true });
});

const runTool = (tool: string, args: readonly string[]) =>
  runProgram(process.execPath, [join(modules, tool), ...args], { cwd: folder });

interface NewmanReport {
  readonly run: {
    readonly executions: readonly {
      readonly item: { readonly name: string };
      readonly response?: { readonly code: number };
      readonly requestError?: unknown;
    }[];
  };
}

/** Converts a document to a collection as Postman does when it imports it, and runs it. @returns the status of each request by its name */
const runCollection = async (document: string, baseUrl: string): Promise<Map<string, number | undefined>> => {
  const collection = join(folder, `${document}.collection.json`);
  const report = join(folder, `${document}.report.json`);
  const options = 'folderStrategy=Tags,parametersResolution=Example,enableOptionalParameters=false';
  const converter = 'openapi-to-postmanv2/bin/openapi2postmanv2.js';
  const converted = await runTool(converter, ['-s', join(documents, document), '-o', collection, '-O', options]);
  expect(converted.stdout).toContain('Conversion successful');
  const text = await readFile(collection, 'utf8');
  expect(text).toMatch(
    /"key": ?"baseUrl",\s*"value": ?"http:\/\/127\.0\.0\.1:400[01]"|"value": ?"http:\/\/127\.0\.0\.1:400[01]",\s*"key": ?"baseUrl"/,
  );
  await writeFile(collection, text.replaceAll(examplePipeline, crm.organization.pipeline.id));
  const variables = [`baseUrl=${baseUrl}`, `apiKey=${crm.organization.key}`].flatMap((each) => ['--env-var', each]);
  const reporter = ['-r', 'json', '--reporter-json-export', report];
  const ran = await runTool('newman/bin/newman.js', ['run', collection, ...variables, ...reporter]);
  const { run } = JSON.parse(await readFile(report, 'utf8').catch(() => JSON.stringify(ran))) as NewmanReport;
  return new Map(run.executions.map(({ item, response }) => [item.name, response?.code]));
};

describe('the documents', () => {
  testWithTools('have no finding of Spectral', async () => {
    await writeFile(join(folder, '.spectral.json'), JSON.stringify(ruleset));
    const files = ['read-gateway.json', 'inbound-gateway.json', 'both-gateways.json'].map((name) =>
      join(documents, name),
    );
    const linted = await runTool('@stoplight/spectral-cli/dist/index.js', [
      'lint',
      '-F',
      'hint',
      '-r',
      join(folder, '.spectral.json'),
      ...files,
    ]);
    expect(linted).toMatchObject({ code: 0, stdout: expect.stringContaining('No results') as unknown });
  });

  testWithTools('become a Postman collection that runs: reading', async () => {
    const statuses = await runCollection('read-gateway.json', crm.addresses.readUrl);
    expect(statuses.size).toBeGreaterThan(20);
    // The records of the examples do not exist.
    const isOfOneRecord = (name: string): boolean =>
      /^(Get an?|List the (changes|attempts|parked records|stays) of) /.test(name);
    const expected = [...statuses.keys()].map((name) => [name, isOfOneRecord(name) ? 404 : 200]);
    expect([...statuses]).toEqual(expected);
  });

  testWithTools('become a Postman collection that runs: writing', async () => {
    const statuses = await runCollection('inbound-gateway.json', crm.addresses.inboundUrl);
    expect(statuses.size).toBeGreaterThan(15);
    // Only the pipeline of the examples exists.
    const isOfPipeline = (name: string): boolean => ['Add a stage', 'Update a pipeline'].includes(name);
    const isOfOneRecord = (name: string): boolean =>
      /^(Update|Delete|Merge|Remove|Restore|Test) an? |^(Add|Update) an option$|^(Send events again|Give up events|Rotate the secret)$/.test(
        name,
      );
    const expected = [...statuses.keys()].map((name) => [name, isOfOneRecord(name) && !isOfPipeline(name) ? 404 : 200]);
    expect([...statuses]).toEqual(expected);
    expect([...statuses.keys()].filter((name) => /^(Create|Define) /.test(name)).sort()).toEqual([
      ...['Create a contact', 'Create a note', 'Create a pipeline', 'Create a webhook', 'Create an account'],
      'Create an opportunity with its account and contacts',
      ...['Create many accounts', 'Create many contacts', 'Create many opportunities', 'Define a custom field'],
    ]);
  });

  test('describe every step of the main job as Arazzo, and Redocly checks the answers against them', async () => {
    const workflow = join(documents, 'main-job.arazzo.yaml');
    const { readUrl, inboundUrl } = crm.addresses;
    const env = {
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      REDOCLY_CLI_RESPECT_INPUT: JSON.stringify({ api_key: crm.organization.key }),
      REDOCLY_CLI_RESPECT_SERVER: `read=${readUrl},inbound=${inboundUrl}`,
    };
    const ran = await runProgram(process.execPath, [redocly, 'respect', workflow], { cwd: folder, env });
    const steps = (await readFile(workflow, 'utf8')).match(/- stepId: /g)?.length ?? 0;
    expect(ran.stdout + ran.stderr).toContain(`Steps: ${steps} passed, ${steps} total`);
    expect(ran.code).toBe(0);
  });
});
