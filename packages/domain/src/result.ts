/** What the stored value of a record must contain so that the record may keep the value that was sent. */
export interface StoredPart {
  /** The stored value itself, or the entries of a list that must be in it. */
  readonly part: unknown;
  /** The error text for a record that does not have it. */
  readonly message: string;
}

/** The outcome of reading one value: the value in its stored form, or an error text for the sender. */
export type Result<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** Set if only a record that has this already may be sent the value: an archived option, for example. */
      readonly ifStored?: StoredPart;
    }
  | { readonly ok: false; readonly message: string };

/** A successful {@link Result}. */
export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

/** A {@link Result} that is successful for a record that has the value, or `part` of it, already. */
export const okIfStored = <T>(value: T, message: string, part: unknown = value): Result<T> => ({
  ok: true,
  value,
  ifStored: { part, message },
});

/** A list of which some entries are accepted only if they are stored already. The first of them gives the error text. */
export const okWithParts = <T>(list: readonly T[], parts: readonly StoredPart[]): Result<readonly T[]> => {
  const [first] = parts;
  if (first === undefined) return ok(list);
  return okIfStored(
    list,
    first.message,
    parts.map(({ part }) => part),
  );
};

/** A failed {@link Result}. Callers of the API get `message` unchanged. */
export const fail = (message: string): { readonly ok: false; readonly message: string } => ({ ok: false, message });
