import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { example } from '../examples.js';
import type { DemoFile } from './demo-file.js';

const launcher = fileURLToPath(new URL('../../bin/crm.js', import.meta.url));
const sample = example('sales-pipeline');

/** The text that the stack prints once it is ready: its addresses, and commands to paste into a shell. */
export const welcomeText = (demo: DemoFile, demoPath: string): string => {
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

  npx @crm/cli webhook create http://127.0.0.1:3999/hook

Connect an assistant (here Claude Code):

  claude mcp add crm --env CRM_DATA_DIR='${dirname(demoPath)}' -- node '${launcher}' mcp

Ctrl-C stops it. The data stays for the next start.
`;
};
