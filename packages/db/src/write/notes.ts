import type { NormalizedEmail } from '@crm/domain';
import type { Catalog } from '../catalog.js';
import { relatedSeeds } from './related.js';
import type { Write } from './write.js';

/** A note to be created on accounts and contacts. */
export interface NewNote {
  readonly title: string | null;
  readonly content: string | null;
  readonly accountDomains: readonly string[];
  readonly contactEmails: readonly NormalizedEmail[];
}

/** What the create of a note answers. */
export interface CreatedNote {
  readonly id: string;
  readonly title: string | null;
  readonly content: string | null;
}

/** Creates a note and whatever accounts and contacts it names that are not there yet. */
export const noteCreate = (catalog: Catalog, note: NewNote): Write<CreatedNote> => ({
  function: 'create_note',
  input: {
    ...relatedSeeds(catalog, note.accountDomains, note.contactEmails),
    account_domains: [...new Set(note.accountDomains)],
    contact_emails: [...new Set(note.contactEmails.map(({ email }) => email))],
    title: note.title,
    content: note.content,
  },
});
