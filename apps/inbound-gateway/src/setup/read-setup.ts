import type { CreateFieldBody, CreateStageBody } from '@crm/contract';
import type { OrganizationSetup, NewField, NewStage, SetupField } from '@crm/db';
import {
  type AttributeType,
  comparableName,
  ErrorCollector,
  type FieldMetadata,
  type FieldOption,
  normalizeEmail,
  normalizeName,
  parseColor,
  parseFieldMetadata,
  parseSlug,
  type Result,
  type SentOption,
  type SentSettings,
  unknownPipeline,
  validationError,
} from '@crm/domain';

/** A value in its stored form. @throws ApiError `validation_failed` on its path */
const valid = <T>(path: string, result: Result<T>): T => {
  if (!result.ok) throw validationError({ [path]: result.message });
  return result.value;
};

/** A name or label in its stored form. */
export function readName(text: string, path?: string): string;
export function readName(text: string | undefined, path?: string): string | undefined;
export function readName(text: string | undefined, path = 'name'): string | undefined {
  return text === undefined ? undefined : valid(path, normalizeName(text));
}

/** A color in its stored form; undefined if none was sent. */
export const readColor = (text: string | null | undefined, path = 'color'): string | undefined =>
  text === undefined || text === null ? undefined : valid(path, parseColor(text));

/** An email in its stored form. */
export const readMemberEmail = (text: string): string => valid('email', normalizeEmail(text)).email;

/** A stage in its stored form. @param prefix - before the names of its fields, as `stages[1].` */
export const readStage = (stage: CreateStageBody, prefix = ''): NewStage => ({
  label: readName(stage.label, `${prefix}label`),
  color: readColor(stage.color, `${prefix}color`),
  probability: stage.probability,
  outcome: stage.outcome ?? undefined,
  isDefault: stage.is_default ?? undefined,
});

/**
 * Checks the stages of a new pipeline.
 * @throws ApiError `validation_failed` if two stages have the same label, or two are the default
 */
export const readLabels = (stages: readonly NewStage[]): readonly NewStage[] => {
  const errors: Record<string, string> = {};
  for (const [index, stage] of stages.entries()) {
    const before = stages.slice(0, index);
    const label = comparableName(stage.label);
    if (before.some((other) => comparableName(other.label) === label))
      errors[`stages[${index}].label`] = 'is given twice';
    if (stage.isDefault === true && before.some(({ isDefault }) => isDefault === true))
      errors[`stages[${index}].is_default`] = 'must be false: another stage is the default';
  }
  if (Object.keys(errors).length > 0) throw validationError(errors);
  return stages;
};

/** The custom field with this id; it may be archived. */
export const findField = (setup: OrganizationSetup, id: string): SetupField | undefined =>
  setup.fields.find((field) => field.id === id.toLowerCase());

/** The options of a field. @throws ApiError `validation_failed` for a type without options */
export const optionsOf = ({ attributeType, metadata }: SetupField): readonly FieldOption[] => {
  if (metadata?.options !== undefined) return metadata.options;
  throw validationError({ id: `is a field of the type ${attributeType}, which has no options` });
};

/** The settings of a field's type. @throws ApiError `validation_failed` on the paths at fault */
export const readMetadata = (type: AttributeType, sent: SentSettings): FieldMetadata | null => {
  const errors = new ErrorCollector();
  const metadata = parseFieldMetadata(type, sent, errors);
  errors.throwIfAny();
  return metadata;
};

/**
 * The options of a field after a request that adds or changes one. The stored options are valid, so any fault is in the
 * option of the request.
 * @throws ApiError `validation_failed` on its `label`, `value` or `color`, or on the field's `id`
 */
export const readOptions = ({ attributeType }: SetupField, options: readonly SentOption[]): FieldMetadata | null => {
  const errors = new ErrorCollector();
  const metadata = parseFieldMetadata(attributeType, { options }, errors);
  if (errors.isEmpty) return metadata;
  const faults = Object.entries(errors.fieldErrors).map(([path, text]) => [path.split('.')[1] ?? 'id', text] as const);
  throw validationError(Object.fromEntries(faults));
};

const readPipelines = (setup: OrganizationSetup, body: CreateFieldBody): readonly string[] | null => {
  const ids = body.pipeline_ids ?? null;
  if (ids === null) return null;
  if (body.object !== 'opportunity') throw validationError({ pipeline_ids: 'is for fields of opportunities' });
  return [...new Set(ids)].map((id, index) => {
    const pipeline = setup.findPipeline(id);
    if (pipeline === undefined) {
      throw validationError({ [`pipeline_ids[${index}]`]: unknownPipeline().errors?.['pipeline_id'] ?? '' });
    }
    return pipeline.id;
  });
};

/** A field in its stored form. */
export const readNewField = (setup: OrganizationSetup, body: CreateFieldBody): NewField => ({
  objectType: body.object,
  slug: valid('slug', parseSlug(body.slug)),
  name: readName(body.current_name, 'current_name'),
  attributeType: body.attribute_type,
  metadata: readMetadata(body.attribute_type, {
    options: body.options,
    currency: body.currency,
    max: body.max,
  }),
  position: body.position ?? undefined,
  isHidden: body.is_hidden ?? false,
  pipelineIds: readPipelines(setup, body),
});
