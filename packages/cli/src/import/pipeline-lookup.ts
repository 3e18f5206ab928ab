import { fail, ok, type Result } from '@crm/domain';

import { CliError, configurationError, errorText, usageError } from '../errors.js';
import { parseJson, readMessage } from './inbound-answer.js';
import type { Mapping } from './mapping.js';

/** How to reach the read gateway; it knows pipelines by name and stages by label. */
export interface ReadConnection {
  readonly url: string;
  readonly apiKey: string;
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const requestTimeoutMs = 15_000;

/**
 * The id of the pipeline that `--pipeline` or the mapping names by id or by name.
 *
 * @throws CliError when it is not given, unknown, or a name while there is no read gateway to ask.
 */
export const findPipelineId = async (named: string | undefined, read: ReadConnection | undefined): Promise<string> => {
  if (named === undefined) {
    throw usageError('Which pipeline? Give --pipeline, or pipeline_id: in the mapping (see: crm pipeline list).');
  }
  if (uuidPattern.test(named)) return named.toLowerCase();
  if (read === undefined) {
    throw usageError(
      `To find the pipeline "${named}" by its name, give --read-url; or give its id (crm pipeline list).`,
    );
  }
  const pipelines = await listAll(read, '/v1/pipelines', 'pipelines');
  const found = pipelines.filter(({ name }) => name === named);
  const id = found[0]?.['pipeline_id'];
  if (found.length === 1 && typeof id === 'string') return id;
  if (found.length > 1) throw configurationError(`There are ${found.length} pipelines "${named}"; give the id of one.`);
  const names = pipelines.map(({ name }) => String(name)).join(', ');
  throw configurationError(`There is no pipeline "${named}". There are: ${names || 'none'}.`);
};

/**
 * A function from the label of a stage to its id, by the mapping's own `stages:` first and by the read gateway otherwise.
 *
 * @throws CliError when the mapping uses stages and neither is there to ask.
 */
export const loadStages = async (
  mapping: Mapping,
  pipelineId: string | undefined,
  read: ReadConnection | undefined,
): Promise<(label: string) => Result<string>> => {
  const labels = [...mapping.stages.keys()];
  const stages = new Map([...mapping.stages].map(([label, id]) => [fold(label), id]));
  const isUsed = mapping.fields.some(({ target }) => target.kind === 'stage');
  if (isUsed && stages.size === 0 && pipelineId !== undefined) {
    if (read === undefined) {
      throw usageError(
        'The mapping sets the stage by its label. Give --read-url, so that labels can be looked up, or ids under stages: in the mapping.',
      );
    }
    for (const { label, stage_id: id } of await listAll(read, `/v1/pipelines/${pipelineId}/stages`, 'stages')) {
      if (typeof id !== 'string') continue;
      stages.set(fold(String(label)), id);
      labels.push(String(label));
    }
  }
  const known = labels.join(', ');
  return (label) => {
    const id = stages.get(fold(label)) ?? (uuidPattern.test(label) ? label : undefined);
    return id === undefined ? fail(`there is no stage "${label}"; there are: ${known}`) : ok(id);
  };
};

const fold = (label: string): string => label.normalize('NFC').trim().toLowerCase();

type Item = Readonly<Record<string, unknown>>;

/** Walks all pages of a list of the read gateway. */
const listAll = async (read: ReadConnection, path: string, key: string): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const data = await readData(read, `${path}${query}`);
    const page: unknown = data[key];
    if (Array.isArray(page)) items.push(...(page as Item[]));
    cursor = data['has_more'] === true && typeof data['next_cursor'] === 'string' ? data['next_cursor'] : null;
  } while (cursor !== null);
  return items;
};

const readData = async (read: ReadConnection, path: string): Promise<Item> => {
  let response: Response;
  let body: Item;
  try {
    response = await fetch(`${read.url}${path}`, {
      headers: { 'x-api-key': read.apiKey },
      signal: AbortSignal.timeout(requestTimeoutMs),
      redirect: 'error',
    });
    body = parseJson(await response.text());
  } catch (error) {
    throw new CliError(`The read gateway ${read.url} does not answer: ${errorText(error)}. Nothing was sent.`);
  }
  if (response.status !== 200) {
    const message = `HTTP ${response.status} ${readMessage(body)}`.trim();
    throw new CliError(`The read gateway ${read.url}${path} answered ${message}. Nothing was sent.`);
  }
  const data = body['data'];
  return typeof data === 'object' && data !== null ? (data as Item) : {};
};
