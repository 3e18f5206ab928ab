import type { CrmClient, Field, Member, Pipeline, Stage, Webhook } from '@crm/client';
import { comparableName, type ObjectType } from '@crm/domain';

import { CliError } from '../errors.js';

/** A pipeline with its stages, in order. */
export type PipelineWithStages = Pipeline & { readonly stages: readonly Stage[] };

const limit = 500;

const collect = async <T>(list: AsyncIterable<T>): Promise<readonly T[]> => {
  const all: T[] = [];
  for await (const one of list) all.push(one);
  return all;
};

/** All pipelines in order, including archived ones. @param readAfter - from a change that the result must contain */
export const listPipelines = async (
  client: CrmClient,
  readAfter: string | null = null,
): Promise<readonly PipelineWithStages[]> => {
  const pipelines: PipelineWithStages[] = [];
  for await (const pipeline of client.pipelines.list({ limit }, { readAfter })) {
    const stages = await collect(client.pipelines.stages(pipeline.pipeline_id, { limit }, { readAfter }));
    pipelines.push({ ...pipeline, stages });
  }
  return pipelines;
};

/** All members by email, including former ones. */
export const listMembers = (client: CrmClient, readAfter: string | null = null): Promise<readonly Member[]> =>
  collect(client.members.list({ limit }, { readAfter }));

/** A custom field with its id, and the object that has it. */
export type CustomField = Field & { readonly field_id: string; readonly object: ObjectType };

const collections = { opportunity: 'opportunities', account: 'accounts', contact: 'contacts' } as const;

/** The custom fields of an object in order, including archived ones. */
export const listFields = async (
  client: CrmClient,
  object: ObjectType,
  readAfter: string | null = null,
): Promise<readonly CustomField[]> => {
  const all = await collect(client[collections[object]].fields({ include_archived: 'true', limit }, { readAfter }));
  return all.flatMap(({ field_id: id, ...field }) => (id === undefined ? [] : [{ field_id: id, ...field, object }]));
};

/** Those of {@link listFields} that are not archived. */
export const listActiveFields = async (client: CrmClient, object: ObjectType): Promise<readonly CustomField[]> =>
  (await listFields(client, object)).filter((field) => field.is_active !== false);

const isText = (one: string, other: string): boolean => comparableName(one) === comparableName(other);

const found = <T>(one: T | undefined, message: string): T => {
  if (one === undefined) throw new CliError(message);
  return one;
};

/** Finds a pipeline by id or name. @throws CliError if there is none */
export const findPipeline = async (client: CrmClient, text: string): Promise<PipelineWithStages> => {
  const pipelines = await listPipelines(client);
  return found(
    pipelines.find((one) => one.pipeline_id === text.toLowerCase()) ?? pipelines.find((one) => isText(one.name, text)),
    `There is no pipeline ${text}. The pipelines are: ${pipelines.map(({ name }) => name).join(', ')}. See: crm api GET /v1/pipelines`,
  );
};

/** All webhooks by id. */
export const listWebhooks = (client: CrmClient, readAfter: string | null = null): Promise<readonly Webhook[]> =>
  collect(client.webhooks.list({ limit }, { readAfter }));
