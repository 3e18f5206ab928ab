import { z } from 'zod';
import { creates, defineTool, text, texts } from '../tool.js';

/** `add_note` */
export const addNote = defineTool({
  name: 'add_note',
  title: 'Add a note',
  description:
    'Adds a note with a title, a content or both to at least one deal, account or contact. Missing accounts and contacts are created.',
  annotations: creates,
  needs: [['inbound', 'createNote']],
  input: z.object({
    request_key: z
      .string()
      .min(1)
      .describe('a new text for each note; the same call with the same key adds no second note'),
    title: text(),
    content: text(),
    deal_ids: texts(),
    account_domains: texts(),
    contact_emails: texts(),
    account_external_ids: texts(),
    contact_external_ids: texts(),
  }),
  output: z.object({ id: z.string(), status: z.string().describe('created, or repeated if the key was used before') }),
  run: async ({ crm }, { request_key: idempotencyKey, title = null, content = null, ...targets }) => {
    const { deal_ids: dealIds = [], ...links } = targets;
    const body = {
      note: { title, content },
      account_domains: links.account_domains ?? null,
      contact_emails: links.contact_emails ?? null,
      account_external_ids: links.account_external_ids ?? null,
      contact_external_ids: links.contact_external_ids ?? null,
      related_objects: { opportunity_ids: dealIds },
    };
    const { data, isReplay } = await crm.notes.create(body, { idempotencyKey });
    return { id: data.note_id, status: isReplay ? 'repeated' : 'created' };
  },
});
