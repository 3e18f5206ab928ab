import type { ObjectType } from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';

/** Collects the bind parameters of a statement; `$1` is always the organization. */
export class Parameters {
  readonly #values: unknown[] = [];

  /** Adds a value and returns its placeholder, such as `$2`. */
  add(value: unknown): string {
    this.#values.push(value);
    return `$${this.#values.length + 1}`;
  }

  /** The values from `$2` on. */
  get values(): readonly unknown[] {
    return this.#values;
  }
}

/** The context in which SQL is generated: an object type of an organization, and the parameters of one statement. */
export interface SqlScope {
  readonly setup: OrganizationSetup;
  readonly objectType: ObjectType;
  readonly parameters: Parameters;
}

/** The scope of a request's statement. Spreading the request here would cost more than generating its sort keys (0.6 µs). */
export const scopeOf = (
  { setup, objectType }: { readonly setup: OrganizationSetup; readonly objectType: ObjectType },
  parameters: Parameters,
): SqlScope => ({ setup, objectType, parameters });
