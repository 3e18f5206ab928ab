import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Command } from 'commander';

import { printResult, type CliContext } from '../cli-context.js';
import { example } from '../examples.js';
import { demoFilePath, type DemoFile } from '../local-stack/demo-file.js';
import { readStackSettings } from '../local-stack/settings.js';
import { withJson, type OutputOptions } from '../options.js';

const help = `
Starts PostgreSQL (from the npm registry), creates the tables, sets up a demo organization, and runs both gateways and the
webhook worker.
All data is in one directory and stays there for the next start. Delete the directory to start over.

Variables:
  CRM_DATA_DIR       the directory (.crm)
  CRM_READ_PORT      port of the read gateway (4000)
  CRM_INBOUND_PORT   port of the inbound gateway (4001)
  CRM_WEBHOOK_PORT   port of the health checks of the webhook worker (4002)
  LOG_LEVEL          log level of the processes (info); their logs are in CRM_DATA_DIR/logs

Examples:
  $ npx @crm/cli start                                 in any folder, without an installation
  $ crm start
  $ CRM_READ_PORT=5000 CRM_INBOUND_PORT=5001 crm start

For production, run the gateways without this command, with your own database: see docs/operating.md.`;

const launcher = fileURLToPath(new URL('../../bin/crm.js', import.meta.url));
const sample = example('sales-pipeline');

/** The text that the stack prints once it is ready: its addresses, and commands to paste into a shell. */
const welcomeText = (demo: DemoFile, demoPath: string): string => {
  const deal = {
    pipeline_id: demo.pipeline_id,
    opportunity: { name: 'My first deal', deal_size: 1200 },
    related_objects: { account_domain: 'acme.com', primary_contact_email: 'ann@acme.com' },
  };
  return `
The CRM API is ready.

  Read gateway     ${demo.read_url}    (documentation: ${demo.read_url}/docs)
  Inbound gateway  ${demo.inbound_url}    (documentation: ${demo.inbound_url}/docs)
  API key          ${demo.api_key}
  As a JSON file   ${demoPath}

Create an opportunity with its account and contact:

  curl -sS '${demo.inbound_url}/v1/inbound/opportunities' \\
    -H 'x-api-key: ${demo.api_key}' \\
    -H 'content-type: application/json' \\
    -d '${JSON.stringify(deal)}'

List opportunities:

  curl -sS '${demo.read_url}/v1/opportunities?pipeline_id=${demo.pipeline_id}&limit=5' \\
    -H 'x-api-key: ${demo.api_key}'

Import a CSV file (here the sample that comes with it):

  npx @crm/cli import '${sample}.sample.csv' --mapping '${sample}.yaml'

Post changes to a program of yours:

  npx @crm/cli api POST /v1/inbound/webhooks -f url=http://127.0.0.1:3999/hook

Connect an assistant (here Claude Code):

  claude mcp add crm --env CRM_DATA_DIR='${dirname(demoPath)}' -- node '${launcher}' mcp

Ctrl-C stops it. The data stays for the next start.
`;
};

/** Adds `crm start`. */
export const addStartCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('start')
    .description('run the whole stack on this machine, with a demo organization')
    .addHelpText('after', help);
  withJson(command).action(async (options: OutputOptions) => {
    const settings = readStackSettings(context.env);
    const { runStack } = await import('../local-stack/run-stack.js');
    await runStack({
      settings,
      env: context.env,
      signal: context.onInterrupt(),
      log: (text) => context.stderr.write(`${text}\n`),
      onReady: (demo) =>
        printResult(context, options, { json: { ...demo }, text: welcomeText(demo, demoFilePath(settings.directory)) }),
    });
  });
};
