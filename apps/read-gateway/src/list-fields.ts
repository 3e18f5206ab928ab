import { type listOpportunityFields, type OperationContract, recordSchemaOf } from '@crm/contract';
import { type OrganizationSetup, fieldWire, type SetupField } from '@crm/db';
import {
  appliesToPipeline,
  type ObjectType,
  type SystemField,
  systemAttributeTypes,
  systemFields,
  unknownPipeline,
} from '@crm/domain';
import type { OperationRequest } from '@crm/http';
import { operation } from './context.js';
import { pageOfEntries, type RankedEntry } from './setup-page.js';

type Request = OperationRequest<typeof listOpportunityFields>;

const displayName = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const systemEntry = (field: SystemField, rank: number): RankedEntry => ({
  rank,
  name: field.name,
  wire: {
    name: field.name,
    current_name: displayName(field.name),
    property_name: field.name,
    attribute_type: systemAttributeTypes[field.kind],
    metadata: null,
    is_custom: false,
  },
});

/** Custom fields come after all system ones, in the order that the organization gave them. */
const customEntry = (definition: SetupField, withArchived: boolean): RankedEntry => ({
  rank: 1_000 + definition.position,
  name: definition.slug,
  wire: fieldWire(definition, withArchived),
});

const resolvePipeline = (setup: OrganizationSetup, id: string | undefined): string | null => {
  if (id === undefined) return null;
  const pipeline = setup.findPipeline(id);
  if (pipeline === undefined) throw unknownPipeline();
  return pipeline.id;
};

/** The fields of an object. Hidden ones are included, because this is where callers find their names. */
export const listFields = (contract: OperationContract, objectType: ObjectType) =>
  operation<OperationContract>(contract, (context, { caller: { organizationId }, query }: Request) =>
    context.setups.use(organizationId, async (setup) => {
      const pipelineId = resolvePipeline(setup, query.pipeline_id);
      const withArchived = query.include_archived === 'true';
      const custom = setup.fields
        .filter((field) => field.objectType === objectType && appliesToPipeline(field, pipelineId))
        .filter((field) => field.isActive || withArchived);
      const entries = [
        ...systemFields[objectType].map(systemEntry),
        ...custom.map((field) => customEntry(field, withArchived)),
      ];
      const operationName = withArchived ? `${contract.id} with archived` : contract.id;
      const binding = { organizationId, operation: operationName, pipelineId };
      return pageOfEntries(context, entries, { collection: 'fields', query, binding });
    }),
  );

/** The JSON Schema of the records of an object, with its active custom fields. */
export const getSchema = (contract: OperationContract, objectType: ObjectType) =>
  operation<OperationContract>(contract, (context, { caller: { organizationId } }) =>
    context.setups.use(organizationId, (setup) => {
      const fields = setup.fields
        .filter((field) => field.objectType === objectType && field.isActive)
        .toSorted((a, b) => a.position - b.position);
      return Promise.resolve({ message: 'Found schema', data: { schema: recordSchemaOf(objectType, fields) } });
    }),
  );
