import type { Catalog, Pipeline, SetupField } from '@crm/db';
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

const fieldOf = (catalog: Catalog, field: SetupField): object => {
  const names = field.pipelineIds?.map((id) => catalog.findPipeline(id)?.name ?? id);
  return {
    ...{ object: field.objectType, slug: field.slug, name: field.name, type: field.attributeType },
    ...field.metadata,
    ...(names === undefined ? {} : { pipelines: names }),
    ...(field.isHidden ? { hidden: true } : {}),
    ...(field.isActive ? {} : { archived: true }),
  };
};

/** The set-up of an organization as a file that `crm apply` takes. */
export const exportSetup = (catalog: Catalog): string =>
  stringify(
    {
      ...(catalog.currency === null ? {} : { currency: catalog.currency }),
      members: catalog.members.map(({ email, name, isActive }) => ({
        ...{ email, name },
        ...(isActive ? {} : { archived: true }),
      })),
      pipelines: catalog.pipelines.map(pipelineOf),
      fields: catalog.fields.map((field) => fieldOf(catalog, field)),
    },
    { lineWidth: 0 },
  );
