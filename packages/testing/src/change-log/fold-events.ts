/** An event of the change log, with the names of the table and of the API. */
export interface LoggedEvent {
  readonly position: number;
  readonly type: string;
  readonly object: string;
  readonly record_id: string;
  readonly record: Readonly<Record<string, unknown>> | null;
  readonly previous: Readonly<Record<string, unknown>> | null;
  readonly changed: readonly string[];
  readonly is_erased: boolean;
}

/** Stands for a record whose earlier events were erased. Its values are unknown until it is deleted. */
const erased = 'erased';

type Folded = Readonly<Record<string, unknown>> | typeof erased;

/** A text that is equal for equal JSON values, for any order of keys; undefined if there is no value. */
const canonical = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

type Json = Readonly<Record<string, unknown>>;

/** Keys that change with every event and that no event names. */
const always: readonly string[] = ['updated_at', 'version'];

/** The keys of two records whose values differ, with the values of the first one; null for a value that it does not have. */
const differing = (before: Json, after: Json): Json =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((name) => !always.includes(name) && canonical(before[name]) !== canonical(after[name]))
      .map((name) => [name, before[name] ?? null]),
  );

/** What an event must say about a change: `changed`, sorted, and `previous`. */
const changeBetween = (before: Json, after: Json): { readonly changed: readonly string[]; readonly previous: Json } => {
  const { custom_fields: was, ...fields } = differing(before, after);
  if (was === undefined) return { changed: Object.keys(fields).sort(), previous: fields };
  const custom = differing(before['custom_fields'] as Json, after['custom_fields'] as Json);
  const slugs = Object.keys(custom).map((slug) => `custom_fields.${slug}`);
  return { changed: [...Object.keys(fields), ...slugs].sort(), previous: { ...fields, custom_fields: custom } };
};

/**
 * Builds the current records from the change log alone, and collects contradictions: a position that is not the next
 * one, a creation of an existing record, a change of a missing one, or `changed` and `previous` that do not say exactly what
 * differs from the event before.
 */
export class EventFold {
  /** By `<object> <id>`. */
  readonly #records = new Map<string, Folded>();
  readonly faults: string[] = [];
  #position: number;

  /** @param position - the position before the first event, 0 for the whole log */
  constructor(position = 0) {
    this.#position = position;
  }

  /** The position of the last event. */
  get position(): number {
    return this.#position;
  }

  /** The records that exist after the last event, by `<object> <id>`. */
  get records(): ReadonlyMap<string, Folded> {
    return this.#records;
  }

  /** Applies the next event. */
  add(event: LoggedEvent): void {
    if (event.position !== this.#position + 1) this.#note(event, `follows ${this.#position}`);
    this.#position = event.position;
    // Readers of the API recognise an erased event only by these two nulls.
    if (event.is_erased !== (event.record === null && event.previous === null))
      this.#note(
        event,
        event.is_erased ? 'is marked as erased but has values' : 'has no values but is not marked as erased',
      );
    const key = `${event.object} ${event.record_id}`;
    const before = this.#records.get(key);
    const kind = event.type.slice(event.object.length + 1);
    if ((before === undefined) !== (kind === 'created' || kind === 'restored'))
      this.#note(event, before === undefined ? 'has no record before' : 'has a record before');
    if (kind === 'deleted') this.#records.delete(key);
    else this.#records.set(key, event.record ?? erased);
    if (event.is_erased || before === undefined || before === erased) return;
    if (kind === 'deleted' && canonical(event.previous) !== canonical(before))
      this.#note(event, 'has a previous that differs from the record before the deletion');
    if (kind !== 'updated' && kind !== 'merged') return;
    const { previous, record, changed } = event;
    if (previous === null || record === null) {
      this.#note(event, 'has no values');
      return;
    }
    const change = changeBetween(before, record);
    if (canonical([...changed].sort()) !== canonical(change.changed))
      this.#note(event, `says that ${changed.join()} changed, but ${change.changed.join()} did`);
    if (canonical(previous) !== canonical(change.previous)) this.#note(event, 'has other previous values');
  }

  #note(event: LoggedEvent, text: string): void {
    this.faults.push(`${event.position} ${event.type} ${event.record_id} ${text}`);
  }

  /** Compares {@link records} with those of another source, which have the same keys. @returns a line per difference */
  differences(actual: ReadonlyMap<string, Readonly<Record<string, unknown>>>): string[] {
    const keys = new Set([...this.#records.keys(), ...actual.keys()]);
    return [...keys].flatMap((key) => {
      const [folded, stored] = [canonical(this.#records.get(key)), canonical(actual.get(key))];
      return folded === stored ? [] : [`${key}: log ${folded}, table ${stored}`];
    });
  }
}
