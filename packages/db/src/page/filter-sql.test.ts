import { type FieldRef, type FilterNode, matchesFilter, type FilterScalar } from '@crm/domain';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { joinLists } from './filter-sql.js';

const system = (name: string): FieldRef =>
  ({ source: 'system', field: { name, kind: 'number', nullable: true } }) as never;
const tags: FieldRef = {
  source: 'custom',
  definition: { id: 'tags', slug: 'tags', attributeType: 'multi_select' },
} as never;
const leaf = (field: FieldRef, operator: string, value: unknown): FilterNode =>
  ({ kind: 'leaf', field, operator, value }) as FilterNode;
const inList = (name: string, ...value: FilterScalar[]): FilterNode => leaf(system(name), 'in', value);
const notIn = (name: string, ...value: FilterScalar[]): FilterNode => leaf(system(name), 'not_in', value);
const all = (...nodes: FilterNode[]): FilterNode => ({ kind: 'and', nodes });
const any = (...nodes: FilterNode[]): FilterNode => ({ kind: 'or', nodes });

describe('joinLists', () => {
  it('joins the lists of one field', () => {
    expect(joinLists(any(inList('a', 1, 2), inList('b', 1), inList('a', 2, 3)))).toEqual(
      any(inList('a', 1, 2, 3), inList('b', 1)),
    );
    expect(joinLists(all(inList('a', 1, 2), inList('a', 2, 3)))).toEqual(inList('a', 2));
    expect(joinLists(all(notIn('a', 1), notIn('a', 2)))).toEqual(notIn('a', 1, 2));
    expect(joinLists(any(notIn('a', 1, 2), notIn('a', 2, 3)))).toEqual(notIn('a', 2));
  });

  it('joins nested lists', () => {
    expect(joinLists({ kind: 'not', node: any(inList('a', 1), any(inList('a', 2), inList('a', 3))) })).toEqual({
      kind: 'not',
      node: inList('a', 1, 2, 3),
    });
  });

  it('does not intersect lists of a field with several values: one record may have a value of each list', () => {
    const both = all(leaf(tags, 'in', ['x']), leaf(tags, 'in', ['y']));
    expect(joinLists(both)).toEqual(both);
    expect(joinLists(any(leaf(tags, 'in', ['x']), leaf(tags, 'in', ['y'])))).toEqual(leaf(tags, 'in', ['x', 'y']));
  });

  it('keeps the set of matching records', () => {
    const values = fc.array(fc.constantFrom(1, 2, 3), { maxLength: 3 });
    const { filter } = fc.letrec<{ filter: FilterNode }>((tie) => ({
      filter: fc.oneof(
        { depthSize: 'small' },
        fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom(inList, notIn), values).map(([n, of, v]) => of(n, ...v)),
        fc
          .tuple(fc.constantFrom(all, any), fc.array(tie('filter'), { minLength: 1, maxLength: 4 }))
          .map(([of, n]) => of(...n)),
        tie('filter').map((node): FilterNode => ({ kind: 'not', node })),
      ),
    }));
    const value = fc.constantFrom(null, 1, 2, 3, 4);
    fc.assert(
      fc.property(filter, value, value, (node, a, b) => {
        const valueOf = (ref: FieldRef) => (ref.source === 'system' && ref.field.name === 'a' ? a : b);
        expect(matchesFilter(joinLists(node), valueOf)).toBe(matchesFilter(node, valueOf));
      }),
    );
  });
});
