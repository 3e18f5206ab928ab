import type { RequestBody, RowProblem } from '../mapping/convert-row.js';
import type { ImportObject } from '../targets.js';
import { externalIdOf, naturalKeyOf } from './row-order.js';

/** The field of each natural key that a user would change. */
const keyFields = { opportunity: 'name', account: 'domain', contact: 'email' } as const;

/** The most keys that are remembered: they take about 50 MB. The gateway finds the others. */
const mostRemembered = 250_000;

/**
 * Finds rows that would be one record although the other system has several: they have the natural key of an earlier row
 * and another external id.
 */
export class SameKeys {
  readonly #first = new Map<string, { readonly line: number; readonly id: string }>();

  /**
   * The fault of a row, or undefined. Remembers the row as the first with its key.
   * @param copiedId - the id of the record in the organization that is copied, which then takes the place of the external id
   */
  find(object: ImportObject, body: RequestBody, line: number, copiedId?: string): RowProblem | undefined {
    if (object === 'note') return undefined;
    const id = copiedId ?? externalIdOf(object, body);
    const key = naturalKeyOf(object, body);
    if (id === '' || !key) return undefined;
    const first = this.#first.get(key);
    if (first === undefined) {
      if (this.#first.size < mostRemembered) this.#first.set(key, { line, id });
      return undefined;
    }
    const field = keyFields[object];
    const other = copiedId === undefined ? 'external_id' : 'id';
    return first.id === id
      ? undefined
      : { field, reason: `has the ${field} of line ${first.line} but another ${other}` };
  }
}
