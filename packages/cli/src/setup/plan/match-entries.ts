import { comparableName } from '@crm/domain';

import type { KeyPath, YamlFile } from '../../yaml-file.js';

/** An entry of the file: its name, and its old name or its id. */
export interface NamedEntry {
  readonly name: string;
  readonly was?: string | undefined;
}

/** A stored object with its name. */
export interface NamedObject {
  readonly id: string;
  readonly name: string;
}

/** A list of the file, for messages about its entries. */
export interface FileList {
  readonly source: YamlFile;
  /** Such as `['pipelines', 0, 'stages']`. */
  readonly path: KeyPath;
  /** The property that has the name, such as `label`. */
  readonly key: string;
  /** What an entry is, such as `stage`. */
  readonly noun: string;
  /** The form in which names are compared, by default as the API compares them. */
  readonly compared?: (name: string) => string;
}

/**
 * Finds the stored object of every entry of a list. The whole list is matched at once, and no object has two entries:
 *
 * 1. An entry whose `was` is an id takes this object.
 * 2. An entry whose `was` is a stored name takes this object, unless its own name is stored too and stays with another
 *    object. So `[A, B was A, C was B]` on the stored A and B renames B to C and A to B, and then creates A. When all
 *    three are stored, the renames were made before, and each entry is found by its name.
 * 3. All others take the object with their name.
 *
 * Two readings are problems of the file: see {@link Matching.refuseTwoReadings}.
 *
 * @returns for each entry the index of its object, or -1 for a new one
 */
export const matchEntries = (
  entries: readonly NamedEntry[],
  stored: readonly NamedObject[],
  list: FileList,
): readonly number[] => {
  const matching = new Matching(entries, stored, list);
  matching.takeByIds();
  matching.takeByOldNames();
  matching.takeByNames();
  matching.refuseTwoReadings();
  return matching.found;
};

class Matching {
  readonly found: number[];
  /** The entry that has taken an object. */
  readonly #takers = new Map<number, number>();
  readonly #refused = new Set<number>();

  constructor(
    private readonly entries: readonly NamedEntry[],
    private readonly stored: readonly NamedObject[],
    private readonly list: FileList,
  ) {
    this.found = entries.map(() => -1);
  }

  takeByIds(): void {
    for (const [entry, { was }] of this.entries.entries()) {
      const at = this.stored.findIndex(({ id }) => id === was?.toLowerCase());
      if (at >= 0) this.#take(entry, at);
    }
  }

  /** An entry that takes an object frees the name of this object for other entries, so this continues until none is left. */
  takeByOldNames(): void {
    let taken: number;
    do {
      taken = this.#takers.size;
      for (const entry of this.#open()) {
        const old = this.#oldObject(entry);
        const own = this.#objectNamed(this.entries[entry]?.name);
        if (old >= 0 && old !== own && (own < 0 || this.#takers.has(own))) this.#take(entry, old);
      }
    } while (this.#takers.size > taken);
  }

  takeByNames(): void {
    for (const entry of this.#open()) {
      const own = this.#objectNamed(this.entries[entry]?.name);
      if (own >= 0 && !this.#takers.has(own)) this.#take(entry, own);
    }
  }

  /**
   * Refuses what has two readings: a `was` beside an object that has the new name already, names that were exchanged (as
   * nothing says whether that has happened), and a new name that another object keeps.
   */
  refuseTwoReadings(): void {
    for (const [entry, { name, was = '' }] of this.entries.entries()) {
      if (this.#refused.has(entry)) continue;
      const { noun } = this.list;
      const object = this.found[entry] ?? -1;
      const old = this.#oldObject(entry);
      const keeper = this.stored.findIndex(
        (other, at) => this.#isSame(other.name, name) && at !== object && !this.#takers.has(at),
      );
      if (keeper >= 0) this.#refuse(entry, `another ${noun} is called "${name}": give it a new name in this file too`);
      if (old < 0 || object < 0 || old === object) continue;
      const other = this.#takers.get(old);
      if (other === undefined) {
        const both = `there are both "${name}" and "${was}"`;
        this.#refuse(entry, `${both}: leave out was if it was renamed before, or else rename or delete one of them`);
      } else if (!this.#isSame(this.stored[old]?.name, this.entries[other]?.name)) {
        this.#refuse(entry, `"${was}" becomes "${this.entries[other]?.name ?? ''}" in ${this.#place(other)}`);
        this.#refuse(other, `there is also "${name}", which was "${was}" too in ${this.#place(entry)}`);
      } else if (this.#isExchanged(entry)) {
        const id = this.stored[old]?.id ?? '';
        const both = `"${name}" and "${was}" are both there, and ${this.#place(other)} exchanges them too`;
        this.#refuse(entry, `${both}. It may have happened before, so give the id instead of the name: was: ${id}`);
      }
    }
  }

  /** Whether following `was` leads back to the entry. */
  #isExchanged(entry: number): boolean {
    const seen = new Set<number>();
    let at: number | undefined = entry;
    while (at !== undefined && !seen.has(at)) {
      seen.add(at);
      at = this.#takers.get(this.#oldObject(at));
    }
    return at === entry && seen.size > 1;
  }

  #take(entry: number, object: number): void {
    const other = this.#takers.get(object);
    if (other === undefined) {
      this.#takers.set(object, entry);
      this.found[entry] = object;
      return;
    }
    const text = `is the same ${this.list.noun} as`;
    this.#refuse(entry, `${text} ${this.#place(other)}`);
    this.#refuse(other, `${text} ${this.#place(entry)}`);
  }

  #isSame(one = '', other = ''): boolean {
    const { compared = comparableName } = this.list;
    return compared(one) === compared(other);
  }

  #open(): readonly number[] {
    return [...this.found.keys()].filter((entry) => this.found[entry] === -1 && !this.#refused.has(entry));
  }

  #objectNamed(name: string | undefined): number {
    return this.stored.findIndex((object) => this.#isSame(object.name, name));
  }

  /** The object that `was` names; -1 if there is none, or `was` is an id. */
  #oldObject(entry: number): number {
    const was = this.entries[entry]?.was;
    const isId = this.stored.some(({ id }) => id === was?.toLowerCase());
    return was === undefined || isId ? -1 : this.#objectNamed(was);
  }

  #path(entry: number): KeyPath {
    const key = this.entries[entry]?.was === undefined ? this.list.key : 'was';
    return [...this.list.path, entry, key];
  }

  #place(entry: number): string {
    return this.list.source.place(this.#path(entry));
  }

  #refuse(entry: number, message: string): void {
    this.#refused.add(entry);
    this.list.source.problem(this.#path(entry), message);
  }
}
