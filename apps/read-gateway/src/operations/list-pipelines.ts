import { listPipelines as contract } from '@crm/contract';
import { pipelineWire } from '@crm/db';
import { defineOperation } from '@crm/http';
import { pageOfEntries } from '../setup-page.js';
import type { Context } from '../context.js';

/** `GET /v1/pipelines`: the organization's pipelines, in order. */
export const listPipelines = defineOperation<Context, typeof contract>(contract, (context, { caller, query }) =>
  context.setups.use(caller.organizationId, async ({ organizationId, pipelines }) => {
    const entries = pipelines.map((pipeline) => ({
      ...{ rank: pipeline.position, name: pipeline.id },
      wire: pipelineWire(pipeline),
    }));
    const binding = { organizationId, operation: contract.id };
    return pageOfEntries(context, entries, { collection: 'pipelines', query, binding });
  }),
);
