import type { CreateAccountBody, CreateContactBody, CreateOpportunityBody, WriteAnswer } from '@crm/client';
import { z } from 'zod';
import { shorten } from '../budget.js';
import { collections, readId, readRecord } from '../records.js';
import type { RecordKind } from '../setup.js';
import { allowedText, argumentPath, invalid } from '../tool-error.js';
import { anyObject, changes, creates, defineTool, notice, type Session, text, texts } from '../tool.js';

type Fields = Readonly<Record<string, unknown>>;

const shared = {
  external_id: text('its id in another system'),
  custom_fields: anyObject.describe('values by slug, as describe_crm lists them').optional(),
};
const dealFields = {
  name: text(),
  account_domain: text(),
  account_external_id: text(),
  contact_email: text('primary contact'),
  contact_external_id: text(),
  additional_contact_emails: texts(),
  owner_email: text('a member'),
  stage_name: text(),
  amount: z.number().optional(),
  currency: text('ISO 4217'),
  close_date: text('2026-12-31'),
  next_action_date: text(),
  next_step: text(),
  ...shared,
};
const accountFields = {
  domain: text(),
  name: text(),
  industry: text(),
  description: text(),
  website: text(),
  employee_range: text(),
  ...shared,
};
const contactFields = {
  email: text(),
  first_name: text(),
  last_name: text(),
  job_title: text(),
  phone: text(),
  account_domain: text(),
  account_external_id: text(),
  ...shared,
};

/** Fields of a deal that have another name in requests, or are in the part of the body that refers to other records. */
const wireNames: Readonly<Record<string, readonly [part: 'opportunity' | 'related_objects', name: string]>> = {
  stage_name: ['opportunity', 'stage_id'],
  contact_email: ['related_objects', 'primary_contact_email'],
  account_domain: ['related_objects', 'account_domain'],
  account_external_id: ['related_objects', 'account_external_id'],
  contact_external_id: ['related_objects', 'primary_contact_external_id'],
  owner_email: ['related_objects', 'owner_email'],
  additional_contact_emails: ['related_objects', 'additional_contact_emails'],
};

/** The body of a create or update of a deal. Null clears a field. */
const dealBody = async ({ setup }: Session, pipelineId: string, fields: Fields): Promise<object> => {
  const body: Record<'opportunity' | 'related_objects', Record<string, unknown>> = {
    opportunity: {},
    related_objects: {},
  };
  for (const [name, value] of Object.entries(fields)) {
    const [part, wireName] = wireNames[name] ?? ['opportunity', name];
    const isStage = typeof value === 'string' && name === 'stage_name';
    body[part][wireName] = isStage ? (await setup.findStage(pipelineId, value)).stage_id : value;
  }
  return body;
};

const output = z.object({
  status: z.string(),
  record: anyObject,
  notice: z.string(),
  warnings: texts('values that were not applied'),
});

/** The result of a write: the record as it is now, with its version. */
const resultOf = async (session: Session, kind: RecordKind, id: string, answer: WriteAnswer<unknown>) => ({
  status: answer.recordStatus ?? 'updated',
  record: shorten(await readRecord(session, kind, id, answer.readAfter)),
  ...(answer.warnings.length > 0 && {
    warnings: answer.warnings.map(({ field, message }) => `${argumentPath(field)}: ${message}`),
  }),
  notice,
});

const existing =
  'An existing one is found instead (status matched); warnings name values that were not applied. Safe to repeat.';

const createDeal = defineTool({
  name: 'create_deal',
  description: `Creates a deal, and its account and contacts if they are missing. Account, pipeline and name identify it. ${existing}`,
  annotations: creates,
  needs: [
    ['inbound', 'createOpportunity'],
    ['list', 'getOpportunity'],
  ],
  input: z.object({ ...dealFields, name: z.string(), pipeline_name: text('needed if there are several') }),
  output,
  run: async (session, { pipeline_name: pipelineName, ...fields }) => {
    const { pipeline_id: pipelineId } = await session.setup.findPipeline(pipelineName);
    const body = { pipeline_id: pipelineId, ...(await dealBody(session, pipelineId, fields)) };
    const answer = await session.crm.opportunities.create(body as CreateOpportunityBody);
    return resultOf(session, 'deal', answer.data.opportunity_id, answer);
  },
});

const createAccount = defineTool({
  name: 'create_account',
  description: `Creates a company. Its domain identifies it. ${existing}`,
  annotations: creates,
  needs: [
    ['inbound', 'createAccount'],
    ['list', 'getAccount'],
  ],
  input: z.object({ ...accountFields, domain: z.string() }),
  output,
  run: async (session, fields) => {
    const answer = await session.crm.accounts.create(fields as CreateAccountBody);
    return resultOf(session, 'account', answer.data.company_id, answer);
  },
});

const createContact = defineTool({
  name: 'create_contact',
  description: `Creates a person, and the account of the email’s domain. The email identifies it. ${existing}`,
  annotations: creates,
  needs: [
    ['inbound', 'createContact'],
    ['list', 'getContact'],
  ],
  input: z.object({ ...contactFields, email: z.string() }),
  output,
  run: async (session, fields) => {
    const answer = await session.crm.contacts.create(fields as CreateContactBody);
    return resultOf(session, 'contact', answer.data.people_id, answer);
  },
});

const updateTool = (kind: RecordKind, noun: string, fields: z.core.$ZodLooseShape) =>
  defineTool({
    name: `update_${kind}`,
    description: 'Changes the fields that are sent. Refused if the record has changed since `version` was read.',
    annotations: changes,
    needs: [
      ['inbound', `update${noun}`],
      ['list', `get${noun}`],
    ],
    input: z.object({
      id: z.string(),
      version: z.int().min(1).describe('as read'),
      ...fields,
      clear: texts('names of fields to empty'),
    }),
    output,
    run: async (session, { id: sent, version, clear = [], ...sentFields }) => {
      const id = readId(sent, 'id');
      const known = Object.keys(fields).filter((name) => name !== 'custom_fields');
      for (const [index, name] of clear.entries()) {
        if (!known.includes(name) && !name.startsWith('custom__'))
          throw invalid({ [`clear[${index}]`]: `"${name}" is not a field; ${allowedText([...known, 'custom__…'])}` });
      }
      const changed: Fields = { ...sentFields, ...Object.fromEntries(clear.map((name) => [name, null])) };
      const isMoved = kind === 'deal' && changed['stage_name'] !== undefined;
      const deal = isMoved ? (await session.crm.opportunities.get(id, { fields: [] })).data.opportunity : undefined;
      const body = kind === 'deal' ? await dealBody(session, deal?.pipeline_id ?? '', changed) : changed;
      const answer = await session.crm[collections[kind]].update(id, body, { ifVersion: version });
      return resultOf(session, kind, id, answer);
    },
  });

/** `create_deal`, `create_account` and `create_contact` */
export const createTools = [createDeal, createAccount, createContact];
/** `update_deal`, `update_account` and `update_contact` */
export const updateTools = [
  updateTool('deal', 'Opportunity', dealFields),
  updateTool('account', 'Account', accountFields),
  updateTool('contact', 'Contact', contactFields),
];
