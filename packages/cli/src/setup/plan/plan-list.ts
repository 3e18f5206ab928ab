import type { CrmClient } from '@crm/client';
import { comparableName } from '@crm/domain';

import { moves, orderRenames, targetOrder } from './order.js';
import { type Answer, changeStep, type PlanStep, type Values } from './plan-step.js';

/** A list of the file with the stored list, and how the API changes it. */
export interface ListPlan<Entry extends { readonly archived?: boolean }, Stored extends object> {
  readonly entries: readonly Entry[];
  readonly stored: readonly Stored[];
  /** The index of the stored object of each entry, or -1: see `matchEntries`. */
  readonly found: readonly number[];
  /** The ids of the stored objects. Those of created ones follow, in the order of the entries, once they exist. */
  readonly ids: string[];
  /** The property that no two objects may share, such as `label`. */
  readonly nameKey: string;
  /** Such as `the stage Won of Sales`. */
  readonly titleOf: (object: Stored | Entry) => string;
  readonly nameOf: (object: Stored | Entry) => string;
  /** The values of an entry as the API names them. `is_active: false` only if it need not come after everything else. */
  readonly valuesOf: (entry: Entry) => Values;
  readonly update: (client: CrmClient, id: string, body: Values) => Promise<Answer>;
}

const maxBaseLength = 200;

/** `Won` → `Won (renaming)`, with a number if that exists: short enough for every kind of name. */
export const temporaryName = (name: string, nth: number): string =>
  `${Array.from(name).slice(0, maxBaseLength).join('')} (renaming${nth === 1 ? '' : ` ${nth}`})`;

/**
 * The changes of stored entries in an order in which every new name is free.
 *
 * @param unique - the name that an object may share with no other, before and after: null if it may share it
 */
export const planChanges = <Entry extends { readonly archived?: boolean }, Stored extends object>(
  list: ListPlan<Entry, Stored>,
  {
    nthName = temporaryName,
    unique = { before: list.nameOf, after: list.nameOf },
  }: {
    readonly nthName?: (name: string, nth: number) => string;
    readonly unique?: {
      readonly before: (stored: Stored) => string | null;
      readonly after: (entry: Entry, stored: Stored) => string | null;
    };
  } = {},
): readonly PlanStep[] => {
  const { entries, stored, found, ids, nameKey, titleOf, valuesOf, update } = list;
  const known = entries.flatMap((entry, index) => {
    const at = found[index] ?? -1;
    const object = stored[at];
    return object === undefined ? [] : [{ entry, object, id: ids[at] ?? '' }];
  });
  const compared = (name: string | null): string | null => (name === null ? null : comparableName(name));
  const others = stored.flatMap((object, at) => (found.includes(at) ? [] : (compared(unique.before(object)) ?? [])));
  const renames = known.map(({ entry, object }) => ({
    from: compared(unique.before(object)),
    to: compared(unique.after(entry, object)),
  }));
  const nameOfNth = (index: number, nth: number): string => {
    const object = known[index]?.object;
    return nthName(object === undefined ? '' : list.nameOf(object), nth);
  };
  const ordered = orderRenames(renames, others, (index, nth) => comparableName(nameOfNth(index, nth)));
  return ordered.flatMap(({ index, temporary }) => {
    const one = known[index];
    if (one === undefined) return [];
    const { entry, object, id } = one;
    const wanted = temporary === undefined ? valuesOf(entry) : { [nameKey]: nameOfNth(index, temporary) };
    return changeStep(titleOf(object), wanted, object, (client, body) => update(client, id, body));
  });
};

/** The steps that create the new entries of an ordered list at their places, and move others. */
export const planPlaces = <Entry extends { readonly archived?: boolean }, Stored extends object>(
  list: ListPlan<Entry, Stored>,
  create: (client: CrmClient, entry: Entry, position: number | undefined) => Promise<Answer & { readonly id: string }>,
  createText: (entry: Entry) => string,
): readonly PlanStep[] => {
  const { entries, stored, found, ids } = list;
  const current = stored.map((_, place) => place);
  return moves(current, targetOrder(found, stored.length)).flatMap(({ key, position }): readonly PlanStep[] => {
    const entry = entries[key - stored.length];
    if (key < stored.length || entry === undefined) return moveStep(list, key, position);
    const run = async (client: CrmClient): Promise<Answer> => {
      const { id, readAfter } = await create(client, entry, position);
      ids[key] = id;
      return { readAfter };
    };
    return [{ text: createText(entry), run }];
  });
};

/** The step that moves an object of a list. @param key - its index, as in `ids` */
const moveStep = <Entry extends { readonly archived?: boolean }, Stored extends object>(
  { entries, stored, ids, titleOf, update }: ListPlan<Entry, Stored>,
  key: number,
  position: number | undefined,
): readonly PlanStep[] => {
  const object = stored[key] ?? entries[key - stored.length];
  if (object === undefined || position === undefined) return [];
  const text = `move ${titleOf(object)} to position ${position}`;
  return [{ text, run: (client) => update(client, ids[key] ?? '', { position }) }];
};

/** The steps that move the entries of a list whose new entries are created already, at its end. */
export const planMoves = <Entry extends { readonly archived?: boolean }, Stored extends object>(
  list: ListPlan<Entry, Stored>,
): readonly PlanStep[] => {
  const { found, stored } = list;
  const added = found.flatMap((place, index) => (place < 0 ? [stored.length + index] : []));
  const current = [...stored.map((_, place) => place), ...added];
  return moves(current, targetOrder(found, stored.length)).flatMap(({ key, position }) =>
    moveStep(list, key, position),
  );
};

/** The steps that archive entries, after everything else. @param bodyOf - what a step sends besides `is_active`, when it runs */
export const planArchives = <Entry extends { readonly archived?: boolean }, Stored extends object>(
  list: ListPlan<Entry, Stored>,
  bodyOf: (entry: Entry) => Values = () => ({}),
): readonly PlanStep[] => {
  const { entries, stored, found, ids, titleOf, update } = list;
  return entries.flatMap((entry, index) => {
    const at = found[index] ?? -1;
    const object: object = stored[at] ?? { is_active: true };
    const key = at < 0 ? stored.length + index : at;
    const wanted = { is_active: entry.archived === true ? false : undefined };
    return changeStep(titleOf(entry), wanted, object, (client, body) =>
      update(client, ids[key] ?? '', { ...body, ...bodyOf(entry) }),
    ).map((step) => ({ ...step, isLast: true }));
  });
};
