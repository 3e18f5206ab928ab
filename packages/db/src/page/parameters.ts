import type { ObjectType } from '@crm/domain';
import type { TenantStatement } from '../database.js';
import type { OrganizationSetup } from '../organization-setup.js';

/** Collects the bind parameters of SQL texts; `$1` is always the organization. */
export class Parameters {
  readonly #values: unknown[] = [];

  /** Adds a value and returns its placeholder, such as `$2`. */
  add(value: unknown): string {
    return `$${this.#values.push(value) + 1}`;
  }

  /**
   * A statement with the values that its text uses, numbered by first use. PostgreSQL rejects a parameter that a text does not use, so
   * texts can be made before it is known which of them the statement needs.
   */
  statement(text: string): TenantStatement {
    const values: unknown[] = [];
    const numbers = new Map([['$1', '$1']]);
    const numbered = text.replace(/\$\d+/g, (added) => {
      let number = numbers.get(added);
      if (number === undefined) {
        number = `$${values.push(this.#values[Number(added.slice(1)) - 2]) + 1}`;
        numbers.set(added, number);
      }
      return number;
    });
    return { text: numbered, values };
  }
}

/** The context in which SQL is generated: an object type of an organization, and the parameters. */
export interface SqlScope {
  readonly setup: OrganizationSetup;
  readonly objectType: ObjectType;
  readonly parameters: Parameters;
}
