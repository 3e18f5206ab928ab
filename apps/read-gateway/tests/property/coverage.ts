import {
  ErrorCollector,
  type FieldIndex,
  filterKindOf,
  findOperator,
  matchesFilter,
  operatorsFor,
  parseFilters,
  parseSort,
  resolveField,
} from '@crm/domain';
import { describeField, fieldCasesOf, pairName } from './field-cases.js';
import { type RecordModel, valueOf } from './record-model.js';

/** How often a pair was used, and how often it selected some records but not all. */
interface Tally {
  asked: number;
  decided: number;
}

interface WrittenLeaf {
  readonly field: string;
  readonly operator: string;
}

const leavesOf = (node: unknown): WrittenLeaf[] => {
  if (typeof node !== 'object' || node === null) return [];
  if ('field' in node) return [node as WrittenLeaf];
  return Object.values(node).flatMap(leavesOf);
};

/** Counts the pairs of type and operator, and the types of sort key, that a run has used. */
export class Coverage {
  readonly #pairs = new Map<string, Tally>();
  readonly #sorts = new Map<string, number>();

  /** Sets the count of everything that the fields of an object allow to 0. */
  expect(fieldIndex: FieldIndex): void {
    for (const { ref, type, storage, sorts } of fieldCasesOf(fieldIndex)) {
      for (const operator of operatorsFor(filterKindOf(ref))) {
        this.#pairs.set(pairName({ type, storage }, operator), { asked: 0, decided: 0 });
      }
      if (sorts) for (const direction of ['asc', 'desc']) this.#sorts.set(`${type} ${storage} ${direction}`, 0);
    }
  }

  /** Counts what one search over these records used. */
  count(fieldIndex: FieldIndex, records: readonly RecordModel[], filters: unknown, sort: unknown): void {
    for (const leaf of leavesOf(filters)) this.#countLeaf(fieldIndex, records, leaf);
    if (sort === undefined) return;
    for (const { field, direction } of parseSort(sort, fieldIndex, 'updated_at', new ErrorCollector())) {
      const { type, storage } = describeField(field);
      const name = `${type} ${storage} ${direction}`;
      this.#sorts.set(name, (this.#sorts.get(name) ?? 0) + 1);
    }
  }

  #countLeaf(fieldIndex: FieldIndex, records: readonly RecordModel[], leaf: WrittenLeaf): void {
    const ref = resolveField(fieldIndex, leaf.field);
    const node = parseFilters(leaf, fieldIndex, new ErrorCollector());
    if (ref === null || node === null) throw new Error(`Not a comparison: ${JSON.stringify(leaf)}`);
    const { type, storage } = describeField(ref);
    const operator = findOperator(leaf.operator);
    const tally = operator === null ? undefined : this.#pairs.get(pairName({ type, storage }, operator));
    if (tally === undefined) throw new Error(`Nobody expects ${JSON.stringify(leaf)}`);
    const matching = records.filter((record) => matchesFilter(node, (field) => valueOf(record, field))).length;
    tally.asked += 1;
    if (matching > 0 && matching < records.length) tally.decided += 1;
  }

  /** The pairs and sort keys that were never used. */
  get missing(): readonly string[] {
    return [
      ...[...this.#pairs].filter(([, { asked }]) => asked === 0).map(([pair]) => pair),
      ...[...this.#sorts].filter(([, used]) => used === 0).map(([key]) => `sort by ${key}`),
    ];
  }

  /** The pairs that always selected all records or none. `empty` always does if every record has a value. */
  get idle(): readonly string[] {
    return [...this.#pairs]
      .filter(([pair, { decided }]) => decided === 0 && !/ system (not_)?empty$/.test(pair))
      .map(([pair]) => pair);
  }
}
