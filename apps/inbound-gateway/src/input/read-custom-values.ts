import type { OrganizationSetup, CustomValues } from '@crm/db';
import { type ErrorCollector, type ObjectType, parseCustomValues } from '@crm/domain';

/** The position of custom values in a body, and their object. */
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
  setup: OrganizationSetup,
  source: CustomValuesSource,
  errors: ErrorCollector,
): CustomValues => {
  // Uses all definitions of the object, so that the error for a field of another pipeline says so, and not "unknown".
  const definitions = setup.fieldIndex(source.objectType, null).bySlug;
  // Accepts ids of former members too, so that a value that was read can be sent back.
  const findMemberId = (idOrEmail: string) => setup.findMember(idOrEmail)?.id;
  const references = { findMemberId };
  const { path, pipelineId } = source;
  const input = source.input as Readonly<Record<string, unknown>>;
  return { definitions, values: parseCustomValues({ definitions, input, path, pipelineId, references, errors }) };
};
