import type { CustomValues } from '@crm/db';

/** `Change` with undefined instead of null. */
type WithoutNulls<Change> = { [Key in keyof Change]: Exclude<Change[Key], null> };

/** A change for a create, where null means absent. */
export const withoutNulls = <Change extends CustomValues>(change: Change): WithoutNulls<Change> => {
  const sent = Object.entries(change).filter(([, value]) => value !== null);
  const values = new Map([...change.values].filter(([, value]) => value !== null));
  return { ...Object.fromEntries(sent), values } as WithoutNulls<Change>;
};
