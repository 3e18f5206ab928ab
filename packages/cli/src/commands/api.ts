import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import type { Command } from 'commander';

import { textTable } from '../administration/text-table.js';
import { type GivenField, parseField } from '../api/field-values.js';
import { sendOperation, type SendOptions } from '../api/send-operation.js';
import { type CliContext, printResult } from '../cli-context.js';
import { configurationError, errorText, usageError } from '../errors.js';
import { withSetupOptions } from '../setup/session.js';

interface ApiOptions extends SendOptions {
  readonly list?: true;
}

const examples = `
Sends any operation of either gateway. Prints a table on a terminal, and otherwise, or with --json, the response as it came.

-f NAME=TEXT takes what the operation takes there: a text, or a number, true, false, null, a list or an object. If the text can be
read in two ways, as for custom fields, the command says how to write both. -F NAME=JSON always is JSON. A.B=C is inside of A. A
list takes -f several times. An operation without a body takes them in its query. BODY is the JSON itself, @FILE, or - for stdin.

Examples:
  $ crm api --list
  $ crm api GET /v1/pipelines
  $ crm api GET /v1/opportunities -f pipeline_id=all --paginate
  $ crm api POST /v1/inbound/accounts -f domain=acme.com -f name=Acme
  $ crm api PATCH /v1/inbound/accounts/ID -F custom_fields.seats=25 -H 'If-Match: "3"'
  $ crm api POST /v1/opportunities/search @search.json

With --url and --api-key it calls these gateways. With --org or --database-url it works on the database. Otherwise it uses the local
stack.`;

const collect =
  (isJson: boolean) =>
  (given: string, earlier: readonly GivenField[]): readonly GivenField[] => [...earlier, parseField(given, isJson)];

/** Adds `-f`, `-F`, `-H`, `--paginate` and where the operation goes. */
export const withSendOptions = (command: Command): Command =>
  withSetupOptions(
    command
      .option('-f, --field <name=text>', 'a property of the body or query; may be repeated', collect(false), [])
      .option('-F, --json-field <name=json>', 'a property whose value is JSON; may be repeated', collect(true), [])
      .option('-H, --header <name: value...>', 'a header of the request')
      .option('--paginate', 'read all pages: one line of JSON for each record'),
  );

const readBody = async (given: string | undefined): Promise<string | undefined> => {
  if (given === '-') return readStream(process.stdin);
  if (given?.startsWith('@') !== true) return given;
  try {
    return await readFile(given.slice(1), 'utf8');
  } catch (error) {
    throw configurationError(`${given}: ${errorText(error)}`);
  }
};

const printOperations = async (context: CliContext, options: SendOptions): Promise<void> => {
  const { listOperations } = await import('../api/find-operation.js');
  const operations = listOperations().map((contract) => ({
    operation: contract.id,
    method: contract.method.toUpperCase(),
    path: contract.path,
    group: contract.group,
    summary: contract.summary,
  }));
  const rows = operations.map(({ method, path, group, summary }) => [method, path, group, summary]);
  const text = textTable(['METHOD', 'PATH', 'GROUP', ''], rows, '');
  printResult(context, options, { json: { operations }, text });
};

/** Adds `crm api`. */
export const addApiCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('api')
    .description('send any operation of the API')
    .argument('[method]', 'GET, POST, PATCH or DELETE')
    .argument('[path]', 'its path, which may have a query')
    .argument('[body]', 'JSON, @FILE, or - for stdin')
    .option('--list', 'list all operations')
    .addHelpText('after', examples);
  withSendOptions(command).action(
    async (method: string | undefined, path: string | undefined, body: string | undefined) => {
      const options = command.opts<ApiOptions>();
      if (options.list === true) {
        await printOperations(context, options);
        return;
      }
      if (method === undefined || path === undefined)
        throw usageError('METHOD and PATH are missing. Operations: crm api --list');
      const route = `/${path.replace(/^\//, '')}`;
      const { findOperation } = await import('../api/find-operation.js');
      const contract = findOperation(method, route.split('?')[0] ?? '');
      await sendOperation(context, options, { contract, path: route, body: await readBody(body) });
    },
  );
};
