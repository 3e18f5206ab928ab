/** A change of a name. Null: the object takes part in no name before or after it, as an archived option. */
export interface Rename {
  readonly from: string | null;
  readonly to: string | null;
}

/** One call for a rename: to its new name, or to a temporary one first. */
export interface OrderedRename {
  readonly index: number;
  /** Which temporary name of the object; undefined for its new name. */
  readonly temporary: number | undefined;
}

/**
 * Orders renames so that every name is free when an object gets it. Names that objects exchange need a temporary one:
 *
 * `A → B, B → C`: B → C, A → B
 * `A → B, B → A`: A → temporary, B → A, temporary → B
 *
 * @param others - names of objects that stay as they are
 * @param temporaryName - makes the nth temporary name of an object
 */
export const orderRenames = (
  renames: readonly Rename[],
  others: readonly string[],
  temporaryName: (index: number, nth: number) => string,
): readonly OrderedRename[] => {
  const held = new Set([...others, ...renames.flatMap(({ from }) => from ?? [])]);
  const wanted = new Set(renames.flatMap(({ to }) => to ?? []));
  const steps: OrderedRename[] = [];
  const open = renames.map((rename, index) => ({ ...rename, index, isTemporary: false }));
  while (open.length > 0) {
    // What frees a name comes first, and what comes back into use last.
    const isFree = ({ from, to }: Rename): boolean => to === null || to === from || !held.has(to);
    const places = [
      open.findIndex(({ to }) => to === null),
      open.findIndex((one) => one.from !== null && isFree(one)),
      open.findIndex(isFree),
    ];
    const free = places.find((place) => place >= 0) ?? -1;
    const blocked = open.findIndex(({ from, isTemporary }) => from !== null && !isTemporary);
    const isFinal = free >= 0 || blocked < 0;
    const [next] = open.splice(free >= 0 ? free : Math.max(blocked, 0), 1);
    if (next === undefined) break;
    const { from, to, index } = next;
    if (from !== null) held.delete(from);
    if (isFinal) {
      if (to !== null) held.add(to);
      steps.push({ index, temporary: undefined });
      continue;
    }
    let nth = 1;
    while (held.has(temporaryName(index, nth)) || wanted.has(temporaryName(index, nth))) nth += 1;
    held.add(temporaryName(index, nth));
    open.push({ from: temporaryName(index, nth), to, index, isTemporary: true });
    steps.push({ index, temporary: nth });
  }
  return steps;
};

/** A move of an entry of a list. */
export interface Move {
  readonly key: number;
  /** From 1. Undefined for the end. */
  readonly position: number | undefined;
}

/** The longest part of a list that is in order already: `[4, 1, 2, 3]` → `[1, 2, 3]` */
const longestInOrder = (numbers: readonly number[]): readonly number[] => {
  const before: (readonly number[])[] = [];
  for (const [index, number] of numbers.entries()) {
    let longest: readonly number[] = [];
    for (let other = 0; other < index; other += 1) {
      const found = before[other] ?? [];
      if ((numbers[other] ?? 0) < number && found.length > longest.length) longest = found;
    }
    before.push([...longest, number]);
  }
  return before.reduce((longest, found) => (found.length > longest.length ? found : longest), []);
};

/**
 * The fewest moves, one after the other, that bring a list into an order. Entries that the list does not have yet are put in.
 *
 * `moves([1, 2, 3], [3, 9, 1, 2])`: 3 to position 1, 9 to position 2
 */
export const moves = (current: readonly number[], target: readonly number[]): readonly Move[] => {
  const places = new Map(target.map((key, place) => [key, place]));
  const staying = new Set(longestInOrder(current.map((key) => places.get(key) ?? 0)).map((place) => target[place]));
  const list = [...current];
  const found: Move[] = [];
  for (const [index, key] of target.entries()) {
    if (staying.has(key)) continue;
    const old = list.indexOf(key);
    if (old >= 0) list.splice(old, 1);
    const place = index === 0 ? 0 : list.indexOf(target[index - 1] ?? 0) + 1;
    list.splice(place, 0, key);
    if (old !== place) found.push({ key, position: old < 0 && place === list.length - 1 ? undefined : place + 1 });
  }
  return found;
};

/**
 * The order of a list after a file is applied. If the entries of the file are in its order, new ones at the end, the order
 * stays. Otherwise the entries of the file come first, and the others keep their order.
 *
 * @param found - the index of the stored object of each entry of the file, or -1
 * @param count - how many objects are stored
 * @returns indexes of stored objects; the nth entry of the file, if it is new, is `count + n`
 */
export const targetOrder = (found: readonly number[], count: number): readonly number[] => {
  const wanted = found.map((place, index) => (place < 0 ? count + index : place));
  const stored = Array.from({ length: count }, (_, place) => place);
  const isInOrder = wanted.every((place, index) => index === 0 || place > (wanted[index - 1] ?? 0));
  return isInOrder
    ? [...stored, ...wanted.filter((place) => place >= count)]
    : [...wanted, ...stored.filter((place) => !wanted.includes(place))];
};
