import { CrmApiError, type CrmClient } from '@crm/client';
import { fail, ok, type Result } from '@crm/domain';

import { configurationError, usageError, type CliError } from '../../errors.js';
import type { Mapping } from './mapping.js';

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

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
  const pipelines = [];
  for await (const pipeline of read.pipelines.list()) pipelines.push(pipeline);
  const found = pipelines.filter(({ name }) => name === named);
  const [first] = found;
  if (found.length === 1 && first !== undefined) return first.pipeline_id;
  if (found.length > 1)
    throw configurationError(`There are ${found.length} pipelines "${named}". Give the id of one with --pipeline.`);
  const names = pipelines.map(({ name }) => name).join(', ');
  throw configurationError(
    `There is no pipeline "${named}". The pipelines are: ${names || 'none'}. Name one with --pipeline, or in the mapping.`,
  );
};

/**
 * Returns a function from the label of a stage to its id. The ids are those under `stages:` in the mapping, or else
 * those of the read gateway.
 *
 * @throws CliError if the mapping uses stages and there are neither ids nor a read gateway.
 */
export const loadStages = async (
  mapping: Mapping,
  pipelineId: string | undefined,
  read: CrmClient | undefined,
): Promise<(label: string) => Result<string>> => {
  const labels = [...mapping.stages.keys()];
  const stages = new Map([...mapping.stages].map(([label, id]) => [normalize(label), id]));
  const isUsed = mapping.fields.some(({ target }) => target.kind === 'stage');
  if (isUsed && stages.size === 0 && pipelineId !== undefined) {
    if (read === undefined) {
      throw usageError(
        'The mapping sets the stage by its label. Give --read-url to look labels up, or give their ids under stages: in the mapping.',
      );
    }
    try {
      for await (const { label, stage_id: id } of read.pipelines.stages(pipelineId)) {
        stages.set(normalize(label), id);
        labels.push(label);
      }
    } catch (error) {
      throw error instanceof CrmApiError && error.status === 404 ? unknownPipeline(pipelineId) : error;
    }
  }
  const known = labels.join(', ');
  return (label) => {
    const id = stages.get(normalize(label)) ?? (uuidPattern.test(label) ? label : undefined);
    return id === undefined ? fail(`there is no stage "${label}"; the stages are: ${known}`) : ok(id);
  };
};

const unknownPipeline = (id: string): CliError =>
  configurationError(
    `The read gateway has no pipeline ${id}. Check --pipeline, or pipeline_id: in the mapping (crm pipeline list), and --read-url.`,
  );

const normalize = (label: string): string => label.normalize('NFC').trim().toLowerCase();
