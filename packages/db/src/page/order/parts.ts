import { type CursorPosition, fieldKey, matchesFilter } from '@crm/domain';
import { slotOf } from '../fields/slots.js';
import { conjuncts } from '../filter/filter-sql.js';
import type { PageRequest } from '../page-request.js';
import type { KeySql } from './sort-keys.js';

/**
 * The parts of an order. If the only sort key is nullable, the records with a value (`present`) are read before those without
 * (`absent`), each in index order. One statement for both would have to sort all records.
 */
export type Part = 'all' | 'present' | 'absent';

/** The SQL of one part. */
export interface PartSql {
  /** The condition for the records of this part, then the cursor's position. */
  readonly conditions: readonly string[];
  /** The slot that is empty in the records of this part; null if the key is not a slot. */
  readonly emptySlot: string | null;
  /** The sort keys within the part. */
  readonly keys: readonly KeySql[];
  /** What to sort by: {@link keys}, after the indexed key that no record of the part has, so that only the index of that key fits. */
  readonly order: readonly KeySql[];
}

/** Whether the filters exclude records without the field that the request sorts by. */
const requiresKey = ({ filters, sort: [key] }: PageRequest): boolean =>
  conjuncts(filters).some(
    (node) =>
      node.kind === 'leaf' &&
      key !== undefined &&
      fieldKey(node.field) === fieldKey(key.field) &&
      !matchesFilter(node, () => null),
  );

/** The parts that may have records after the position of a request. */
export const partsOf = (request: PageRequest, [first, second]: readonly KeySql[]): readonly Part[] => {
  const { sort, position } = request;
  if (first?.nullable !== true || sort.length !== 1 || second === undefined) return ['all'];
  if (position !== null && position[0] === null) return ['absent'];
  return requiresKey(request) ? ['present'] : ['present', 'absent'];
};

/** The condition and the sort keys of one part. */
export const partSql = (part: Part, keys: readonly KeySql[]): PartSql => {
  const [first, ...others] = keys;
  if (part === 'all' || first === undefined) return { conditions: [], emptySlot: null, keys, order: keys };
  const presence = first.presence ?? first.expression;
  if (part === 'present') {
    const present = [{ ...first, nullable: false }, ...others];
    return { conditions: [`${presence} IS NOT NULL`], emptySlot: null, keys: present, order: present };
  }
  const emptySlot = slotOf(first.expression);
  if (emptySlot !== null) return { conditions: [], emptySlot, keys: others, order: others };
  const lacking = first.isIndexed ? [{ ...first, expression: presence, nullable: false }] : [];
  return { conditions: [`${presence} IS NULL`], emptySlot, keys: others, order: [...lacking, ...others] };
};

/** The position within a part. Null for the start of the part, also if the position is in the part before. */
export const positionIn = (part: Part, position: CursorPosition | null): CursorPosition | null => {
  if (part !== 'absent') return position;
  return position === null || position[0] !== null ? null : position.slice(1);
};
