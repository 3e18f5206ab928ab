import { createClient, type ClientOptions } from '@crm/client';
import { type CallToolResult, McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { Setup } from './setup.js';
import { isAllowed, notice, readArguments, type Session, type Tool } from './tool.js';
import { errorText, toToolError } from './tool-error.js';
import { tools } from './tools/index.js';

/** The gateways, and the key of the caller. */
export type Connection = Pick<ClientOptions, 'readUrl' | 'inboundUrl' | 'apiKey'>;

/** With one retry, it fits into the time that assistants wait for a tool. */
const timeoutMs = 15_000;
const listingTtlMs = 60_000;

const instructions =
  'A CRM: deals in pipelines, accounts (companies), contacts (people) and notes. Call describe_crm first. ' +
  'Name stages by label, owners by email, accounts by domain. Dates are days such as 2026-12-31, in UTC. ' +
  `Read a record before you change it: updates need its version. ${notice}`;

/** A client whose calls end when the signal is aborted. */
const connect = (connection: Connection, signal?: AbortSignal) => {
  const fetchUntilAborted: typeof fetch = (input, init) =>
    fetch(input, {
      ...init,
      signal: AbortSignal.any([init?.signal, signal].filter((one) => one instanceof AbortSignal)),
    });
  return createClient({ ...connection, timeoutMs, maxRetries: 1, fetch: fetchUntilAborted });
};

/** The JSON Schema without what costs tokens and says nothing: its dialect, and that results have no other properties. */
const schemaOf = (schema: z.ZodObject, io: 'input' | 'output'): { type: 'object' } => {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io });
  const isClosed = io === 'input' && { additionalProperties: false };
  return Object.assign({ type: 'object' as const, properties, required }, isClosed);
};

const listed = tools.map((tool) => ({
  tool,
  entry: {
    name: tool.name,
    description: tool.description,
    annotations: tool.annotations,
    inputSchema: schemaOf(tool.input, 'input'),
    outputSchema: schemaOf(tool.output, 'output'),
  },
}));

/** Runs a call. Errors that the caller can repair are results, so that the model sees them. */
const callTool = async (tool: Tool, session: Session, sent: unknown): Promise<CallToolResult> => {
  try {
    const structuredContent = await tool.run(session, readArguments(tool, sent));
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    const known = toToolError(error);
    if (known === null) throw error;
    return { content: [{ type: 'text', text: errorText(known) }], isError: true };
  }
};

/**
 * Creates a server for one caller. It lists only the tools that the key allows. The gateways check every call again.
 * @param version - the version of this program
 */
export const createMcpServer = (connection: Connection, version: string): McpServer => {
  const setup = new Setup(connect(connection));
  const mcp = new McpServer(
    { name: 'crm', title: 'CRM', version },
    {
      capabilities: { tools: {} },
      instructions,
      cacheHints: { 'tools/list': { ttlMs: listingTtlMs, cacheScope: 'private' } },
    },
  );
  mcp.server.setRequestHandler('tools/list', async () => {
    const allowed = await setup.allowed().catch((error: unknown) => {
      const known = toToolError(error);
      throw known === null ? error : new ProtocolError(ProtocolErrorCode.InvalidRequest, errorText(known));
    });
    return { tools: listed.filter(({ tool }) => isAllowed(tool, allowed)).map(({ entry }) => entry) };
  });
  mcp.server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool ${JSON.stringify(params.name)}`);
    return callTool(tool, { crm: connect(connection, mcpReq.signal), setup }, params.arguments);
  });
  return mcp;
};

/** Serves one assistant over the standard input and output of this process. @returns a function that ends it */
export const serveStdio = (
  connection: Connection,
  version: string,
  onError: (error: Error) => void,
): (() => Promise<void>) => {
  const handle = serve(() => createMcpServer(connection, version), { onerror: onError });
  return () => handle.close();
};
