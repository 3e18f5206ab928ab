import type { ErrorCollector } from '../errors.js';
import { ok, type StoredPart } from '../result.js';
import type { Steps } from '../steps.js';
import { parseCustomValue } from './attribute-types.js';
import type { CustomValue, CustomValueReferences } from './custom-value.js';
import { appliesToPipeline, propertyName, propertyNamePrefix, type CustomFieldDefinition } from './definition.js';
import { echo } from './values/bounds.js';
import { isJsonObject, ownValue } from './values/json-object.js';

/** The maximum number of custom values in one record of a request. */
export const maxCustomValues = 1_000;

/** The input of {@link parseCustomValues} and the definitions to check it against. */
export interface CustomValuesRequest {
  /** The object's definitions by slug, of all pipelines. */
  readonly definitions: ReadonlyMap<string, CustomFieldDefinition>;
  /** The part of the body with `custom_fields` and the `custom__slug` keys; its other keys are ignored. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly references: CustomValueReferences;
  /** The path of `input` in the body, such as `opportunity`; empty for the body itself. */
  readonly path: string;
  /** Collects one error text per invalid field. */
  readonly errors: ErrorCollector;
  /** The record's pipeline; null for objects without pipelines. */
  readonly pipelineId: string | null;
  /** Collects what the record must have already. */
  readonly conditions: StoredCondition[];
}

/** A part of a sent value that the record must have already: an archived option, for example. */
export interface StoredCondition extends StoredPart {
  /** The column or the slug of the custom field that must contain the part. */
  readonly column?: string;
  readonly slug?: string;
  /** Whether the record must have exactly `part`, and nothing else in the column or field. */
  readonly isExact?: true;
  /** The path of the value in the body, for the error. */
  readonly path: string;
}

interface SentValue {
  readonly slug: string;
  readonly path: string;
  readonly value: unknown;
}

const join = (path: string, key: string): string => (path === '' ? echo(key) : `${path}.${echo(key)}`);

const sentUnderCustomFields = ({ input, path, errors }: CustomValuesRequest): SentValue[] => {
  const customFields = ownValue(input, 'custom_fields');
  const customFieldsPath = join(path, 'custom_fields');
  if (customFields === undefined || customFields === null) return [];
  if (!isJsonObject(customFields)) {
    errors.add(customFieldsPath, 'must be an object of custom field slugs and values');
    return [];
  }
  return Object.entries(customFields).map(([slug, value]) => ({ slug, path: join(customFieldsPath, slug), value }));
};

const sentBeside = ({ input, path }: CustomValuesRequest): SentValue[] =>
  Object.entries(input)
    .filter(([key]) => key.startsWith(propertyNamePrefix))
    .map(([key, value]) => ({ slug: key.slice(propertyNamePrefix.length), path: join(path, key), value }));

const archivedFault = 'is an archived field: only a record that has this value can keep it';

/** Reads one sent value into `values`, or adds an error on its path. */
const readSentValue = (
  { slug, path, value }: SentValue,
  { definitions, references, errors, pipelineId, conditions }: CustomValuesRequest,
  values: Map<string, CustomValue | null>,
): void => {
  const definition = definitions.get(slug);
  if (definition === undefined) {
    errors.add(path, 'is not a custom field of this object');
  } else if (!appliesToPipeline(definition, pipelineId)) {
    errors.add(path, 'is not a field of this pipeline');
  } else {
    const result = value === null ? ok(null) : parseCustomValue(definition, value, references);
    const parsed = errors.read(path, result);
    if (parsed !== undefined) values.set(slug, parsed);
    if (!result.ok) return;
    if (definition.isActive === false)
      conditions.push({ slug, path, part: result.value, message: archivedFault, isExact: true });
    else if (result.ifStored !== undefined) conditions.push({ ...result.ifStored, slug, path });
  }
};

/**
 * Reads the custom values of one record in a request, sent under `custom_fields` by slug or next to the other fields as
 * `custom__slug`. Adds every fault to `errors` on the path of the sent key (cut to 80 characters). The result is
 * complete only if there was no fault. It has null for a value that was sent as null: the caller decides whether that
 * clears the field. `custom_fields: null` counts as absent. Each value is a step.
 *
 * @returns stored values by slug, in the order sent.
 */
export function* parseCustomValues(request: CustomValuesRequest): Steps<Map<string, CustomValue | null>> {
  const values = new Map<string, CustomValue | null>();
  const sent = [...sentUnderCustomFields(request), ...sentBeside(request)].filter(({ value }) => value !== undefined);
  if (sent.length > maxCustomValues) {
    request.errors.add(join(request.path, 'custom_fields'), `must have at most ${maxCustomValues} values`);
    return values;
  }
  const seen = new Set<string>();
  for (const one of sent) {
    if (seen.has(one.slug)) {
      request.errors.add(one.path, `is sent twice: as ${propertyName(echo(one.slug))} and under custom_fields`);
      continue;
    }
    seen.add(one.slug);
    readSentValue(one, request, values);
    yield;
  }
  return values;
}
