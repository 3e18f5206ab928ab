import { z } from 'zod';
import { shorten } from '../budget.js';
import { readFittingPage } from '../pages.js';
import { kinds, type Setup } from '../setup.js';
import { anyObject, defineTool, notice, reads, resultProperties, text } from '../tool.js';

const describePipelines = async (setup: Setup) => {
  const active = (await setup.pipelines()).filter((pipeline) => pipeline.is_active);
  return Promise.all(
    active.map(async ({ pipeline_id: id, name }) => {
      const stages = (await setup.stages(id)).filter((stage) => stage.is_active);
      const first = stages.find((stage) => stage.is_default);
      const labelsOf = (outcome: string) =>
        stages.filter((stage) => stage.outcome === outcome).map(({ label }) => label);
      return {
        pipeline: name,
        stages: stages.map((stage) => stage.label),
        default_stage: first?.label,
        won_stages: labelsOf('won'),
        lost_stages: labelsOf('lost'),
      };
    }),
  );
};

/** All built-in fields of a kind are one entry, because a list of texts costs less than an object each. */
const describeFields = async (setup: Setup) => {
  const all = await Promise.all(kinds.map(async (kind) => ({ kind, fields: await setup.fields(kind) })));
  const builtIn = all.map(({ kind, fields }) => ({
    built_in_fields_of: kind,
    fields: fields
      .filter((field) => !field.is_custom && !/_id$|^additional_contacts$/.test(field.name))
      .map((field) => `${field.name} ${field.attribute_type}`),
  }));
  const custom = all.flatMap(({ kind, fields }) =>
    fields
      .filter((field) => field.is_custom)
      .map((field) => ({
        field: field.property_name,
        of: kind,
        label: field.current_name,
        type: field.attribute_type,
        options: field.metadata?.options?.map((option) => option.label),
      })),
  );
  return [...builtIn, ...custom];
};

const describeMembers = async (setup: Setup) =>
  (await setup.members()).filter((one) => one.is_active).map(({ email, name }) => ({ member: email, name }));

const parts = { pipelines: describePipelines, fields: describeFields, members: describeMembers };
const partNames = ['pipelines', 'fields', 'members'] as const;

/** `describe_crm` */
export const describeCrm = defineTool({
  name: 'describe_crm',
  title: 'Describe the CRM',
  description:
    'Call this first: the pipelines with their stages, the fields (for filters, sorts and writes), the members, today’s date and what the key allows.',
  annotations: reads,
  needs: [
    [
      'list',
      'getKey',
      'listPipelines',
      'listPipelineStages',
      'listMembers',
      'listOpportunityFields',
      'listAccountFields',
      'listContactFields',
    ],
  ],
  input: z.object({ part: z.enum(partNames).describe('only this part').optional(), cursor: text() }),
  output: z.object({
    today: z.string(),
    key_allows: z.array(z.string()),
    items: z.array(anyObject),
    ...resultProperties,
  }),
  run: async ({ setup }, { part, cursor }) => {
    const page = await readFittingPage(cursor, undefined, async () => {
      const items: object[][] = await Promise.all((part ? [part] : partNames).map((name) => parts[name](setup)));
      return { items: items.flat().map((item) => shorten(item)), next: null };
    });
    return { today: new Date().toISOString().slice(0, 10), key_allows: await setup.allowed(), ...page, notice };
  },
});
