import type { ObjectDescription } from '@crm/domain';

/** The names in `include` of each object. */
export const includedNames = {
  account: ['opportunities', 'contacts', 'notes'],
  contact: ['opportunities', 'contacts', 'notes'],
  opportunity: ['notes'],
} as const satisfies Readonly<Record<ObjectDescription['one'], readonly string[]>>;
/** A name in `include`. */
export type IncludedName = (typeof includedNames)[keyof typeof includedNames][number];
