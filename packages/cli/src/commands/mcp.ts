import { once } from 'node:events';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';

import { type CliContext, logLine } from '../cli-context.js';
import { CliError, errorText, usageError } from '../errors.js';
import { dataDirectory, readDemoFile } from '../local-stack/demo-file.js';
import { httpUrl, portNumber } from '../options.js';
import { version } from '../version.js';

interface McpOptions {
  readonly readUrl?: string;
  readonly inboundUrl?: string;
  readonly apiKey?: string;
  readonly http?: number;
  readonly address: string;
  readonly allowHost?: string[];
}

const examples = `
Without addresses, it uses the local stack (crm start) in CRM_DATA_DIR, and over stdio also its key.
Over HTTP (http://127.0.0.1:PORT/mcp), each caller sends its own key as x-api-key or as a bearer token. Use a reverse
proxy with TLS if callers are on other machines.

Examples:
  The command for the configuration of an assistant:
    $ CRM_READ_URL=https://crm.example.com CRM_API_KEY=crm_live_… crm mcp

  For several assistants:
    $ crm mcp --http 4100 --read-url https://crm.example.com

The tools of an assistant are those that its key allows. Use a key with the groups list and search for one that only reads.
See docs/how-to/connect-an-assistant.md.`;

/** Adds `crm mcp`. */
export const addMcpCommand = (program: Command, context: CliContext): void => {
  program
    .command('mcp')
    .description('serve assistants with the Model Context Protocol')
    .addOption(new Option('--read-url <url>', 'address of the read gateway').env('CRM_READ_URL').argParser(httpUrl))
    .addOption(
      new Option('--inbound-url <url>', 'address of the inbound gateway (default: --read-url)')
        .env('CRM_INBOUND_URL')
        .argParser(httpUrl),
    )
    .addOption(new Option('--api-key <key>', 'key of the organization; not with --http').env('CRM_API_KEY'))
    .option('--http <port>', 'serve Streamable HTTP on this port instead of stdio', portNumber)
    .option('--address <address>', 'address to listen on', '127.0.0.1')
    .option('--allow-host <name...>', 'further names in Host and Origin, such as that of a reverse proxy')
    .addHelpText('after', examples)
    .action((options: McpOptions) => serve(context, options));
};

const findGateways = async (context: CliContext, { readUrl, inboundUrl, apiKey }: McpOptions) => {
  if (readUrl !== undefined) return { readUrl, inboundUrl: inboundUrl ?? readUrl, apiKey };
  if (inboundUrl !== undefined) throw usageError('--inbound-url needs --read-url.');
  const directory = resolve(dataDirectory(context.env));
  const demo = await readDemoFile(directory);
  if (demo === undefined) {
    throw usageError(
      `No gateway is given, and no local stack runs in ${directory}. Give --read-url, or run crm start.`,
    );
  }
  return { readUrl: demo.read_url, inboundUrl: demo.inbound_url, apiKey: apiKey ?? demo.api_key };
};

const serve = async (context: CliContext, options: McpOptions): Promise<void> => {
  // The other commands need not wait until the server library is loaded.
  const { serveHttp, serveStdio } = await import('@crm/mcp');
  const { apiKey, ...gateways } = await findGateways(context, options);
  const report = (text: string): void => void context.stderr.write(`${logLine(`crm mcp: ${text}`)}\n`);
  const onError = (error: Error): void => report(errorText(error));
  const { http: port, address, allowHost: allowedHosts = [] } = options;
  if (port === undefined) {
    if (apiKey === undefined) throw usageError('--api-key (or CRM_API_KEY) is needed with --read-url.');
    const service = serveStdio({ ...gateways, apiKey }, version(), onError);
    report(`serves one assistant on stdio, with the gateway ${gateways.readUrl}`);
    const interrupted = context.onInterrupt();
    await Promise.race([service.ended, interrupted.aborted || once(interrupted, 'abort')]);
    return service.close();
  }
  const server = await serveHttp({ gateways, port, address, allowedHosts, version: version(), onError }).catch(
    (error: unknown) => {
      throw new CliError(`Cannot listen on ${address}:${port}: ${errorText(error)}`);
    },
  );
  const listening = server.address();
  const actualPort = typeof listening === 'object' ? listening?.port : port;
  report(`serves assistants at http://${address}:${actualPort}/mcp, with the gateway ${gateways.readUrl}`);
  const interrupted = context.onInterrupt();
  if (!interrupted.aborted) await once(interrupted, 'abort');
  server.close();
  server.closeAllConnections();
};
