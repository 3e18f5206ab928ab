import { CrmUnauthorizedError } from '@crm/client';
import {
  type CallToolResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type Transport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { connect, type Connection } from './connection.js';
import { Setup } from './setup.js';
import { missingGroups, notice, readArguments, type Session, type Tool } from './tool.js';
import { errorText, ToolError, toToolError } from './tool-error.js';
import { tools } from './tools/index.js';

const listingTtlMs = 60_000;

const unchanging = { listChanged: false };

const instructions =
  'A CRM: deals in pipelines, accounts (companies), contacts (people) and notes. Call describe_crm first. ' +
  'Name stages by label, owners by email, accounts by domain. Dates are days such as 2026-12-31, in UTC. ' +
  `Read a record before you change it: updates need its version. ${notice}`;

/**
 * The JSON Schema of a tool, without its dialect and without `additionalProperties`: some clients cannot read that word and leave out the
 * tool. Unknown arguments are refused by {@link readArguments}.
 */
const schemaOf = (schema: z.ZodObject, io: 'input' | 'output'): { type: 'object' } => {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
    },
  });
  return { type: 'object', ...{ properties, required } };
};

const listed = tools.map((tool) => ({
  tool,
  entry: {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    annotations: tool.annotations,
    inputSchema: schemaOf(tool.input, 'input'),
    outputSchema: schemaOf(tool.output, 'output'),
  },
}));

/** Says whether the key is at fault, or which groups it lacks for a tool. */
const explainRefusal = async (tool: Tool, setup: Setup): Promise<ToolError> => {
  const groups = missingGroups(tool, await setup.readAllowed());
  const needed = `the group${groups.length > 1 ? 's' : ''} ${groups.join(' and ')}`;
  return new ToolError(
    groups.length === 0
      ? 'The API key did not allow this a moment ago, and does now. Try again.'
      : `The API key does not allow ${tool.name}: it needs ${needed}.`,
  );
};

/** Runs a call. Errors that the caller can repair are results, so that the model sees them. */
const callTool = async (tool: Tool, session: Session, sent: unknown): Promise<CallToolResult> => {
  try {
    const structuredContent = await tool.run(session, readArguments(tool, sent));
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    const cause = error instanceof CrmUnauthorizedError ? await explainRefusal(tool, session.setup).catch(same) : error;
    const known = toToolError(cause);
    if (known === null) throw error;
    return { content: [{ type: 'text', text: errorText(known) }], isError: true };
  }
};

const same = (error: unknown): unknown => error;

/** A server that takes null for the arguments of a tool without arguments, as some clients send it. */
class LenientServer extends McpServer {
  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport);
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      const params = 'method' in message && message.method === 'tools/call' ? message.params : undefined;
      if (params?.['arguments'] === null) delete params['arguments'];
      onmessage?.(message, extra);
    };
  }
}

/**
 * Creates a server for one caller. It lists only the tools that the key allows. The gateways check every call again.
 * @param version - the version of this program
 */
export const createMcpServer = (connection: Connection, version: string): McpServer => {
  const setup = new Setup(connect(connection), connection.allowed);
  const mcp = new LenientServer(
    { name: 'crm', title: 'CRM', version },
    {
      // Some clients ask for resources and prompts without looking here.
      capabilities: { tools: unchanging, resources: unchanging, prompts: unchanging },
      instructions,
      cacheHints: { 'tools/list': { ttlMs: listingTtlMs, cacheScope: 'private' } },
    },
  );
  mcp.server.setRequestHandler('tools/list', async () => {
    const allowed = await setup.allowed().catch((error: unknown) => {
      const known = toToolError(error);
      throw known === null ? error : new ProtocolError(ProtocolErrorCode.InvalidRequest, errorText(known));
    });
    return { tools: listed.filter(({ tool }) => missingGroups(tool, allowed).length === 0).map(({ entry }) => entry) };
  });
  mcp.server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool ${JSON.stringify(params.name)}`);
    return callTool(tool, { crm: connect(connection, mcpReq.signal), setup }, params.arguments);
  });
  mcp.server.setRequestHandler('resources/list', () => ({ resources: [] }));
  mcp.server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  mcp.server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  return mcp;
};
