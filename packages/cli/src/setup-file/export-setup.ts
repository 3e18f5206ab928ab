import type { OrganizationSetup, Pipeline, SetupField } from '@crm/db';
import { stringify } from 'yaml';

const pipelineOf = ({ name, isActive, stages }: Pipeline): object => ({
  name,
  ...(isActive ? {} : { archived: true }),
  stages: stages.map((stage) => ({
    label: stage.label,
    color: stage.color,
    ...(stage.probability === null ? {} : { probability: stage.probability }),
    ...(stage.isDefault ? { default: true } : {}),
    ...(stage.isActive ? {} : { archived: true }),
  })),
});

const fieldOf = (setup: OrganizationSetup, field: SetupField): object => {
  const names = field.pipelineIds?.map((id) => setup.findPipeline(id)?.name ?? id);
  return {
    ...{ object: field.objectType, slug: field.slug, name: field.name, type: field.attributeType },
    ...field.metadata,
    ...(names === undefined ? {} : { pipelines: names }),
    ...(field.isHidden ? { hidden: true } : {}),
    ...(field.isActive ? {} : { archived: true }),
  };
};

/** Writes the setup of an organization as a file for `crm apply`. */
export const exportSetup = (setup: OrganizationSetup): string =>
  stringify(
    {
      ...(setup.currency === null ? {} : { currency: setup.currency }),
      members: setup.members.map(({ email, name, isActive }) => ({
        ...{ email, name },
        ...(isActive ? {} : { archived: true }),
      })),
      pipelines: setup.pipelines.map(pipelineOf),
      fields: setup.fields.map((field) => fieldOf(setup, field)),
    },
    { lineWidth: 0 },
  );
