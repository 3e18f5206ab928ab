import type { Command } from 'commander';

import { printResult, type CliContext } from '../cli-context.js';
import { demoFilePath } from '../local-stack/demo-file.js';
import { runStack } from '../local-stack/run-stack.js';
import { readStackSettings } from '../local-stack/settings.js';
import { welcomeText } from '../local-stack/welcome.js';
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

/** Adds `crm start`. */
export const addStartCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('start')
    .description('run the whole stack on this machine, with a demo organization')
    .addHelpText('after', help);
  withJson(command).action(async (options: OutputOptions) => {
    const settings = readStackSettings(context.env);
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
