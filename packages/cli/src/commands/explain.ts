import { explainPage, type OrganizationSetup, type PageRequest, parsePageRequest } from '@crm/db';
import { ApiError, ErrorCollector, isFailure, type ObjectType, parseLimit, parseSearchQuery } from '@crm/domain';
import { Argument, type Command, InvalidArgumentError } from 'commander';

import {
  uuid,
  withAdministration,
  withOrganizationOptions,
  type OrganizationOptions,
} from '../administration/session.js';
import { printResult, type CliContext } from '../cli-context.js';
import { usageError } from '../errors.js';
import { explainText, totalsOf } from '../explain/explain-text.js';
import { objectChoices } from '../import/targets.js';

const objects = {
  opportunities: 'opportunity',
  accounts: 'account',
  contacts: 'contact',
} as const satisfies Readonly<Record<string, ObjectType>>;

interface ExplainOptions extends OrganizationOptions {
  readonly pipeline?: string;
  readonly stage?: string;
  readonly query?: string;
  readonly filter?: unknown;
  readonly sort?: readonly string[];
  readonly limit?: string;
  readonly fields?: string;
}

/** Longer than the limit of the gateways, because slow statements are the ones to explain. */
const statementTimeoutMs = 60_000;

const help = `
Parses the request as the read gateway does and reads its page from the database. Prints the plan, the SQL of each statement
and its cost (EXPLAIN ANALYZE). Each statement runs twice; nothing is changed. The table of all plans is in
packages/db/src/page/plan.ts.

Examples:
  $ crm explain --org ID opportunities --pipeline ID
  $ crm explain --org ID opportunities --filter '{"field":"amount","operator":"gt","value":5}' --sort amount:desc --limit 50
  $ crm explain --org ID contacts --query "ann lee" --json`;

const json = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new InvalidArgumentError('Must be JSON such as {"field":"amount","operator":"gt","value":5}.');
  }
};

/** Adds `crm explain`. */
export const addExplainCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('explain')
    .description('show the plan and the SQL of a list or search')
    .addArgument(objectChoices(new Argument('<object>', 'what to list'), Object.keys(objects)))
    .option('--pipeline <id>', 'opportunities of one pipeline (see: crm api GET /v1/pipelines)', uuid)
    .option('--stage <id>', 'opportunities of one stage', uuid)
    .option('--query <words>', 'words to search for')
    .option('--filter <json>', 'the "filters" of a search', json)
    .option('--sort <keys>', 'the order, such as updated_at:desc or amount:desc,name', (text: string) =>
      text.split(','),
    )
    .option('--limit <n>', 'records per page (default: 100)')
    .option('--fields <names>', 'the "fields" of a list')
    .addHelpText('after', help);
  withOrganizationOptions(command).action(async (object: keyof typeof objects, options: ExplainOptions) => {
    const page = await withAdministration(context, options, async (session) => {
      const setup = await session.setup((await session.organization(options.org)).id);
      return explainPage(session.database, readRequest(setup, objects[object], options), statementTimeoutMs);
    });
    printResult(context, options, { json: { ...page, totals: totalsOf(page) }, text: explainText(page) });
  });
};

const optionNames: Readonly<Record<string, string>> = { pipeline_id: 'pipeline', stage_id: 'stage', filters: 'filter' };

/** The option that a path of the request comes from: `filters[0].value` → `--filter [0].value`. */
const optionOf = (path: string): string => {
  const name = /^\w+/.exec(path)?.[0] ?? '';
  const rest = path.slice(name.length).replace(/^\./, '');
  return `--${optionNames[name] ?? name}${rest === '' ? '' : ` ${rest}`}`;
};

/** Parses a request as a search does. @throws CliError that lists all faults */
const readRequest = (setup: OrganizationSetup, objectType: ObjectType, options: ExplainOptions): PageRequest => {
  const errors = new ErrorCollector();
  try {
    const { request } = parsePageRequest(
      setup,
      {
        objectType,
        pipelineId: options.pipeline,
        stageId: options.stage,
        defaultSort: 'updated_at',
        filters: options.filter,
        sort: options.sort,
        fields: options.fields,
        readWords: (found) => parseSearchQuery(options.query, 'query', found),
        readLimit: (found) => parseLimit(options.limit, found),
      },
      errors,
    );
    errors.throwIfAny();
    return request;
  } catch (error) {
    if (isFailure(error, 'not_found'))
      throw usageError(`--pipeline: There is no pipeline ${options.pipeline ?? ''}. See: crm api GET /v1/pipelines`);
    if (!(error instanceof ApiError)) throw error;
    throw usageError(
      Object.entries(error.errors ?? {})
        .map(([path, text]) => `${optionOf(path)}: ${text}`)
        .join('\n'),
    );
  }
};
