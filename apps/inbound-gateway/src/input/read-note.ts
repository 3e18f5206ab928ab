import type { CreateNoteBody, UpdateNoteBody } from '@crm/contract';
import type { NewNote, NoteChange } from '@crm/db';
import { type ErrorCollector, readSent, readSentList } from '@crm/domain';

/** Normalizes changes to a note; adds every fault to `errors`. */
export const readNoteChange = ({ note }: Pick<UpdateNoteBody, 'note'>, errors: ErrorCollector): NoteChange => ({
  title: readSent('name', note.title, 'note.title', errors),
  content: readSent('text', note.content, 'note.content', errors),
});

/** Normalizes the body of a note; adds every fault to `errors`. */
export const readNote = (body: CreateNoteBody, errors: ErrorCollector): NewNote => {
  const { title = null, content = null } = readNoteChange(body, errors);
  const accountDomains = readSentList('domain', body.account_domains, 'account_domains', errors) ?? [];
  const contactEmails = readSentList('email', body.contact_emails, 'contact_emails', errors) ?? [];
  const opportunityIds = (body.related_objects?.opportunity_ids ?? []).map((id) => id.toLowerCase());
  const note = { title, content, accountDomains, contactEmails, opportunityIds };
  // An invalid title or content reads as missing, which must not be reported too.
  if (!errors.isEmpty) return note;
  if (title === null && content === null) {
    errors.add('note.title', 'is required: send a title, a content or both');
    errors.add('note.content', 'is required: send a title, a content or both');
  }
  if (accountDomains.length + contactEmails.length + opportunityIds.length === 0) {
    const message = 'is required: send at least one account domain, contact email or opportunity id';
    errors.add('account_domains', message);
    errors.add('contact_emails', message);
  }
  return note;
};
