import type { Catalog, CustomValues } from '@crm/db';
import { type ErrorCollector, type ObjectType, parseCustomValues } from '@crm/domain';

/** Where custom values stand in a body and for what they are. */
export interface CustomValuesSource {
  readonly objectType: ObjectType;
  /** The part of the body with `custom_fields` and the `custom__slug` keys. */
  readonly input: object;
  /** Path of that part; empty for the body itself. */
  readonly path: string;
  readonly pipelineId: string | null;
}

/** Reads the custom values of a record against the organization's definitions and members. */
export const readCustomValues = (
  catalog: Catalog,
  source: CustomValuesSource,
  errors: ErrorCollector,
): CustomValues => {
  // All definitions of the object, so that a field of another pipeline is named as such rather than as unknown.
  const definitions = catalog.fieldCatalogue(source.objectType, null).bySlug;
  // An id of a former member is taken too: what was read can be sent again.
  const findMemberId = (idOrEmail: string) => catalog.findMember(idOrEmail)?.id;
  const references = { findMemberId };
  const { path, pipelineId } = source;
  const input = source.input as Readonly<Record<string, unknown>>;
  return { definitions, values: parseCustomValues({ definitions, input, path, pipelineId, references, errors }) };
};
