import type { ErrorCollector } from '../errors.js';
import type { CustomValue, CustomValueReferences } from './custom-value.js';
import { type CustomFieldDefinition } from './definition.js';
/** The maximum number of custom values in one record of a request. */
export declare const maxCustomValues = 1000;
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
}
/**
 * Reads the custom values of one record in a request, sent under `custom_fields` by slug or next to the other fields as
 * `custom__slug`. Adds every fault to `errors` on the path of the sent key (cut to 80 characters). The result is
 * complete only if there was no fault. It has null for a value that was sent as null: the caller decides whether that
 * clears the field. `custom_fields: null` counts as absent.
 *
 * @returns stored values by slug, in the order sent.
 */
export declare const parseCustomValues: (request: CustomValuesRequest) => Map<string, CustomValue | null>;
