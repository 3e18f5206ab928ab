import { type BodyOf, createNote as contract } from '@crm/contract';
import { createNote as insertNote, type NewNote } from '@crm/db';
import { ErrorCollector } from '@crm/domain';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { readDomains, readEmails, readName, readText } from '../input/read-fields.js';

const maxContentLength = 50_000;

/** Normalises the body of a note. @throws ApiError `validation_failed` with every fault */
const readNote = ({ note, account_domains: domains, contact_emails: emails }: BodyOf<typeof contract>): NewNote => {
  const errors = new ErrorCollector();
  const title = readName(note.title, 'note.title', errors);
  const content = readText(note.content, 'note.content', maxContentLength, errors);
  const accountDomains = readDomains(domains, 'account_domains', errors);
  const contactEmails = readEmails(emails, 'contact_emails', errors);
  errors.throwIfAny();
  if (title === null && content === null) {
    errors.add('note.title', 'Send a title or a content');
    errors.add('note.content', 'Send a title or a content');
  }
  if (accountDomains.length === 0 && contactEmails.length === 0) {
    const message = 'Send at least one account domain or contact email to attach the note to';
    errors.add('account_domains', message);
    errors.add('contact_emails', message);
  }
  errors.throwIfAny();
  return { title, content, accountDomains, contactEmails };
};

/** `POST /v1/inbound/notes`: a note on accounts and contacts, which are made where absent. */
export const createNote = defineOperation<Context, typeof contract>(contract, (context, { caller, body }) =>
  context.catalogs.use(caller.organizationId, async (catalog) => {
    const note = readNote(body);
    const { id } = await insertNote(context.database, catalog, note);
    return {
      message: 'Note created',
      data: { note_id: id, title: note.title, content: note.content },
      headers: { 'X-Record-Status': 'created' },
    };
  }),
);
