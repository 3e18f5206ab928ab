import { CrmApiError, type CrmClient } from '@crm/client';
import { fail, ok, type Result } from '@crm/domain';

import { configurationError, usageError } from '../../errors.js';
import type { Mapping } from './mapping.js';

/** Finds the id of a stage by its label. */
export type FindStageId = (label: string) => Result<string>;

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const normalize = (label: string): string => label.normalize('NFC').trim().toLowerCase();

const stageFinder = (stages: Iterable<readonly [label: string, id: string]>): FindStageId => {
  const all = [...stages];
  const ids = new Map(all.map(([label, id]) => [normalize(label), id]));
  const known = all.map(([label]) => label).join(', ');
  return (label) => {
    const id = ids.get(normalize(label)) ?? (uuidPattern.test(label) ? label : undefined);
    return id === undefined ? fail(`there is no stage "${label}"; the stages are: ${known}`) : ok(id);
  };
};

const readStages = async (client: CrmClient, pipelineId: string): Promise<FindStageId> => {
  const stages: [string, string][] = [];
  for await (const { label, stage_id: id } of client.pipelines.stages(pipelineId)) stages.push([label, id]);
  return stageFinder(stages);
};

/** A pipeline that rows can refer to. */
export interface KnownPipeline {
  readonly id: string;
  readonly stageId: FindStageId;
}

/** Finds the pipeline that a row names, or the one that the command line gives for all rows. */
export type FindPipeline = (named: string | undefined) => Result<KnownPipeline>;

/** Reads all pipelines and stages. `forAll` is the id or name from the command line. */
export const loadPipelines = async (client: CrmClient, forAll: string | undefined): Promise<FindPipeline> => {
  const byName = new Map<string, Result<KnownPipeline>>();
  for await (const { pipeline_id: id, name } of client.pipelines.list()) {
    const pipeline = ok({ id, stageId: await readStages(client, id) });
    byName.set(id, pipeline).set(name, pipeline);
  }
  return (named) => {
    const wanted = forAll ?? named;
    if (wanted === undefined) return fail('names no pipeline; give --pipeline');
    return byName.get(wanted) ?? byName.get(wanted.toLowerCase()) ?? fail(`there is no pipeline "${wanted}"`);
  };
};

/**
 * Finds the id of the pipeline that `--pipeline` or the mapping gives by id or name.
 *
 * @throws CliError if none is given, it is unknown, or it is a name and there is no read gateway.
 */
export const findPipelineId = async (named: string | undefined, read: CrmClient | undefined): Promise<string> => {
  if (named === undefined) {
    throw usageError('No pipeline is given. Give --pipeline, or pipeline_id: in the mapping (see: crm pipeline list).');
  }
  if (uuidPattern.test(named)) return named.toLowerCase();
  if (read === undefined) {
    throw usageError(
      `To find the pipeline "${named}" by name, give --read-url. Or give its id (see: crm pipeline list).`,
    );
  }
  const names = [];
  for await (const { pipeline_id: id, name } of read.pipelines.list()) {
    if (name === named) return id;
    names.push(name);
  }
  throw configurationError(
    `There is no pipeline "${named}". The pipelines are: ${names.join(', ') || 'none'}. Name one with --pipeline, or in the mapping.`,
  );
};

/**
 * Finds stages by the ids under `stages:` in the mapping, or else by those of the read gateway.
 *
 * @throws CliError if the mapping uses stages and there are neither ids nor a read gateway.
 */
export const loadStages = async (
  mapping: Mapping,
  pipelineId: string | undefined,
  read: CrmClient | undefined,
): Promise<FindStageId> => {
  const isUsed = mapping.fields.some(({ target }) => target.kind === 'stage');
  if (!isUsed || mapping.stages.size > 0 || pipelineId === undefined) return stageFinder(mapping.stages);
  if (read === undefined) {
    throw usageError(
      'The mapping sets the stage by its label. Give --read-url to look labels up, or give their ids under stages: in the mapping.',
    );
  }
  try {
    return await readStages(read, pipelineId);
  } catch (error) {
    if (!(error instanceof CrmApiError && error.status === 404)) throw error;
    throw configurationError(
      `The read gateway has no pipeline ${pipelineId}. Check --pipeline, or pipeline_id: in the mapping (crm pipeline list), and --read-url.`,
    );
  }
};
