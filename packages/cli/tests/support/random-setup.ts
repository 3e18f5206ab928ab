import type { FileOption, FileStage } from '../../src/setup/setup-file.js';

/** A random number from 0 to n - 1. */
export type Random = (n: number) => number;

/** The same numbers for the same seed (mulberry32). */
export const randomOf = (seed: number): Random => {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
  };
};

/** An entry of a list as the model knows it: it stays the same object whatever its name is. */
export interface Entry {
  /** Its id, or the value of an option; empty before it is created. */
  id: string;
  name: string;
  isActive: boolean;
  isDefault: boolean;
  /** Whether opportunities are in this stage. */
  isUsed: boolean;
  stages: Entry[];
}

/** What a file says about a list, and what must be stored afterwards. */
export interface Edit {
  /** The whole list afterwards; new entries have no id. */
  readonly list: readonly Entry[];
  /** The entries of the file in its order, with their old names or ids. */
  readonly named: readonly { readonly entry: Entry; readonly was?: string; readonly heir?: Entry }[];
}

/** What an edit of a list may do. */
export interface Kind {
  /** From few names, so that renames meet. */
  readonly nameOf: (n: number) => string;
  /** Whether an archived entry leaves its name to others. */
  readonly leavesName: boolean;
  /** Whether one entry must stay active. */
  readonly keepsOne: boolean;
  /** Whether opportunities of an archived entry move to another one. */
  readonly hasHeirs: boolean;
}

const nameCount = 7;

const newEntry = (name: string): Entry => ({
  ...{ id: '', name, isActive: true, isDefault: false, isUsed: false, stages: [] },
});

const shuffled = <T>(random: Random, list: readonly T[]): T[] => {
  const rest = [...list];
  return list.map(() => rest.splice(random(rest.length), 1)[0] as T);
};

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Gives entries the names of others (chains, exchanges, rotations) or free ones. */
const rename = (random: Random, list: readonly Entry[], { nameOf }: Kind): void => {
  const chosen = shuffled(random, list).slice(0, random(4));
  const names = chosen.map(({ name }) => name);
  const free = Array.from({ length: nameCount }, (_, n) => nameOf(n)).filter(
    (name) => !list.some((entry) => isSame(entry.name, name)),
  );
  // With a free name in the rotation it is a chain, otherwise an exchange.
  const pool =
    random(2) === 0
      ? [...names.slice(1), ...free.slice(0, 1), ...names.slice(0, 1)]
      : [...names.slice(1), ...names.slice(0, 1)];
  chosen.forEach((entry, index) => (entry.name = pool[index] ?? entry.name));
};

/** Draws an edit of a list: renames, splits, creations, archives, restores, moves. */
export const drawEdit = (random: Random, before: readonly Entry[], kind: Kind, usesIds: boolean): Edit => {
  const { nameOf, leavesName, keepsOne, hasHeirs } = kind;
  const list = before.map((entry) => ({ ...entry }));
  const old = new Map(list.map((entry, index) => [entry, before[index]]));
  const isChanged = (entry: Entry): boolean =>
    entry.name !== old.get(entry)?.name || entry.isActive !== old.get(entry)?.isActive;
  if (leavesName) toggle(random, list, kind);
  rename(
    random,
    list.filter(({ isActive }) => isActive || !leavesName),
    kind,
  );
  for (let more = random(3); more > 0; more -= 1) {
    const free = Array.from({ length: nameCount }, (_, n) => nameOf(n)).filter(
      (name) => !list.some((entry) => isSame(entry.name, name) && (entry.isActive || !leavesName)),
    );
    const name = free[random(free.length)];
    if (name !== undefined) list.splice(random(list.length + 1), 0, newEntry(name));
  }
  if (!leavesName) toggle(random, list, kind);
  if (keepsOne && !list.some(({ isActive }) => isActive)) list.forEach((entry) => (entry.isActive = true));
  const active = list.filter(({ isActive }) => isActive);
  const heirs = new Map<Entry, Entry>();
  for (const entry of list) {
    entry.isDefault &&= entry.isActive;
    const heir = active[random(active.length)];
    if (hasHeirs && !entry.isActive && entry.isUsed && heir !== undefined) {
      heirs.set(entry, heir);
      heir.isUsed = true;
      entry.isUsed = false;
    }
  }
  const shown = list.filter((entry) => entry.id === '' || isChanged(entry) || random(2) === 0);
  const named = (random(2) === 0 ? shuffled(random, shown) : shown).map((entry) => {
    const stored = old.get(entry);
    const heir = heirs.get(entry);
    const was = stored === undefined || stored.name === entry.name ? undefined : usesIds ? stored.id : stored.name;
    return { entry, ...(was === undefined ? {} : { was }), ...(heir === undefined ? {} : { heir }) };
  });
  const starting = named[random(named.length + 1)]?.entry;
  if (hasHeirs && starting?.isActive === true) {
    for (const entry of list) entry.isDefault = false;
    starting.isDefault = true;
  }
  return { list, named };
};

const toggle = (random: Random, list: readonly Entry[], { leavesName, nameOf }: Kind): void => {
  for (const entry of list) {
    if (random(4) > 0) continue;
    entry.isActive = !entry.isActive;
    const isTaken = list.some((other) => other !== entry && other.isActive && isSame(other.name, entry.name));
    const free = Array.from({ length: 99 }, (_, n) => nameOf(n)).find(
      (name) => !list.some((one) => isSame(one.name, name)),
    );
    if (entry.isActive && leavesName && isTaken) entry.name = free ?? entry.name;
  }
};

type Named = Edit['named'][number];

/** The entry of a stage in a file. */
export const stageOf = ({ entry, was, heir }: Named): FileStage => ({
  label: entry.name,
  archived: !entry.isActive,
  ...(entry.isDefault ? { default: true } : {}),
  ...(was === undefined ? {} : { was }),
  ...(heir === undefined ? {} : { move_to: heir.name }),
});

/** The entry of an option in a file. New ones get a value. */
export const optionOf = ({ entry }: Named): FileOption => ({
  value: entry.id,
  label: entry.name,
  archived: !entry.isActive,
});
