import { openAdministrationDatabase } from '@crm/db';
import { type TestOrganization, type TestStack } from '@crm/testing';
import { createTestOrganization, setupTools } from '@crm/testing/suites';
import { createClient, type CrmClient } from '@crm/client';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { estimateTokens } from '../src/budget.js';
import { createMcpServer } from '../src/server.js';

/** An organization of its own on the shared gateways. */
export interface TestCrm {
  readonly organization: TestOrganization;
  readonly crm: CrmClient;
  readonly gateways: { readonly readUrl: string; readonly inboundUrl: string };
  addMember(email: string): Promise<unknown>;
  /** Expires all events but the newest one. */
  expireEvents(): Promise<unknown>;
  stop(): Promise<void>;
}

export const startTestCrm = async ({ databaseUrl, readUrl, inboundUrl }: TestStack): Promise<TestCrm> => {
  const database = openAdministrationDatabase({ url: databaseUrl, applicationName: 'mcp-test' });
  const admin = setupTools(database);
  const organization = await createTestOrganization(database);
  const gateways = { readUrl, inboundUrl };
  return {
    organization,
    gateways,
    crm: createClient({ ...gateways, apiKey: organization.key }),
    expireEvents: () =>
      database.query(organization.id, {
        text: 'UPDATE event_heads SET oldest_position = position WHERE organization_id = $1',
        values: [],
      }),
    addMember: (email) => admin.addMember({ organizationId: organization.id, email, name: email }),
    stop: () => database.close(),
  };
};

/** The result of a call, as an assistant sees it. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  /** The structured content. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Of text and structured content together. */
  readonly tokens: number;
}

/** The official client, connected to a server in this process. It checks results against their output schemas. */
export class Assistant {
  readonly #client = new Client({ name: 'test', version: '1' });

  static async connect({ gateways, organization }: TestCrm, apiKey = organization.key): Promise<Assistant> {
    const assistant = new Assistant();
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    await createMcpServer({ ...gateways, apiKey }, '1.0.0').connect(serverSide);
    await assistant.#client.connect(clientSide);
    await assistant.listTools();
    return assistant;
  }

  get capabilities() {
    return this.#client.getServerCapabilities();
  }

  async listOther(): Promise<readonly (readonly unknown[])[]> {
    const { resources } = await this.#client.listResources();
    const { resourceTemplates } = await this.#client.listResourceTemplates();
    return [resources, resourceTemplates, (await this.#client.listPrompts()).prompts];
  }

  async listTools() {
    return (await this.#client.listTools()).tools;
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const { content, isError, structuredContent } = await this.#client.callTool({ name, arguments: args });
    const [first] = content;
    const text = first?.type === 'text' ? first.text : '';
    const data = (structuredContent ?? {}) as Record<string, unknown>;
    return { text, isError: isError === true, data, tokens: estimateTokens(text) + estimateTokens(data) };
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
