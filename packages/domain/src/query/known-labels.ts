import { comparableName } from '../natural-key/name.js';
import { fail, ok, type Result } from '../result.js';
import { quote } from './quote.js';

const shownLabels = 20;

/** A list of names for an error text, cut if it is long: `known: New, Qualified, Won`. */
export const knownText = (names: readonly string[]): string => {
  const more = names.length - shownLabels;
  const shown = names.slice(0, shownLabels).join(', ');
  if (names.length === 0) return 'there is none';
  return `known: ${shown}${more > 0 ? ` and ${more} more` : ''}`;
};

/**
 * The labels of a field whose values come from the organization's setup: the labels or outcomes of its stages, the names of its
 * pipelines, or the emails of its members. Archived stages and pipelines and former members count, because records may still have them.
 */
export class KnownLabels {
  readonly #noun: string;
  readonly #labels: readonly string[];
  #forms: ReadonlySet<string> | undefined;

  /** @param noun - what a label names, with its article */
  constructor(noun: 'a stage' | 'an outcome' | 'a pipeline' | 'a member', labels: Iterable<string>) {
    this.#noun = noun;
    this.#labels = [...new Set(labels)];
  }

  /** The form in which a whole label is compared; an error that names the known ones if there is no such label. */
  read(text: string): Result<string> {
    // An organization can have many members, and few requests filter by labels.
    this.#forms ??= new Set(this.#labels.map(comparableName));
    const form = comparableName(text);
    return this.#forms.has(form) ? ok(form) : fail(`${quote(text)} is not ${this.#noun}; ${knownText(this.#labels)}`);
  }
}
