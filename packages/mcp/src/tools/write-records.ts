import type { CreateAccountBody, CreateContactBody, CreateOpportunityBody, WriteAnswer } from '@crm/client';
import { z } from 'zod';
import { shorten } from '../budget.js';
import { collections, readId, readRecord } from '../records.js';
import type { RecordKind } from '../setup.js';
import { allowedText, argumentPath, errorText, invalid, orMayBeMade, toToolError } from '../tool-error.js';
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
  additional_contact_external_ids: texts(),
  owner_email: text('a member'),
  stage_name: text(),
  amount: z.number().optional(),
  currency: text('ISO 4217'),
  close_date: text('2026-12-31'),
  next_action_date: text(),
  next_step: text(),
  ...shared,
};
/** Fields of the primary contact, beside its email. */
const personFields = {
  contact_first_name: text(),
  contact_last_name: text(),
  contact_job_title: text(),
  contact_phone: text(),
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

type Part = 'opportunity' | 'related_objects' | 'primary_contact';

/** Fields of a deal that have another name in requests, or are in the part of the body that refers to other records. */
const wireNames: Readonly<Record<string, readonly [part: Part, name: string]>> = {
  stage_name: ['opportunity', 'stage_id'],
  contact_email: ['related_objects', 'primary_contact_email'],
  account_domain: ['related_objects', 'account_domain'],
  account_external_id: ['related_objects', 'account_external_id'],
  contact_external_id: ['related_objects', 'primary_contact_external_id'],
  owner_email: ['related_objects', 'owner_email'],
  additional_contact_emails: ['related_objects', 'additional_contact_emails'],
  additional_contact_external_ids: ['related_objects', 'additional_contact_external_ids'],
  contact_first_name: ['primary_contact', 'first_name'],
  contact_last_name: ['primary_contact', 'last_name'],
  contact_job_title: ['primary_contact', 'job_title'],
  contact_phone: ['primary_contact', 'phone'],
};

/** The body of a create or update of a deal. Null clears a field. */
const dealBody = async ({ setup }: Session, pipelineId: string, fields: Fields): Promise<object> => {
  const body: Record<Part, Record<string, unknown>> = { opportunity: {}, related_objects: {}, primary_contact: {} };
  for (const [name, value] of Object.entries(fields)) {
    const [part, wireName] = wireNames[name] ?? ['opportunity', name];
    const isStage = typeof value === 'string' && name === 'stage_name';
    body[part][wireName] = isStage ? (await setup.findStage(pipelineId, value)).stage_id : value;
  }
  const { primary_contact: person, ...others } = body;
  if (Object.keys(person).length === 0) return others;
  return { ...others, primary_contact: { ...person, email: fields['contact_email'] } };
};

const output = z.object({
  status: z.string(),
  record: anyObject,
  notice: z.string(),
  warnings: texts('values that were not applied'),
});

/** The result of a write: the record as it is now, with its version. */
const resultOf = async (session: Session, kind: RecordKind, id: string, answer: WriteAnswer<unknown>) => {
  const warnings = answer.warnings.map(({ field, message }) => `${argumentPath(field)}: ${message}`);
  const record = await readRecord(session, kind, id, answer.readAfter).catch((error: unknown) => {
    const known = toToolError(error);
    if (known === null) throw error;
    warnings.push(`The write was made, but the record could not be read afterwards: ${errorText(known)}`);
    return { id };
  });
  return {
    status: answer.recordStatus ?? 'updated',
    record: shorten(record),
    ...(warnings.length > 0 && { warnings }),
    notice,
  };
};

const existing =
  'An existing one is found instead (status matched); warnings name values that were not applied. Safe to repeat.';

const createDeal = defineTool({
  name: 'create_deal',
  title: 'Create a deal',
  description: `Creates a deal, and its account and contacts if they are missing. Account, pipeline and name identify it. ${existing}`,
  annotations: creates,
  needs: [
    ['inbound', 'createOpportunity'],
    ['list', 'getOpportunity'],
  ],
  input: z.object({
    ...dealFields,
    ...personFields,
    name: z.string(),
    pipeline_name: text('needed if there are several'),
  }),
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
  title: 'Create an account',
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
  title: 'Create a contact',
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

/** Names of one value: clearing by one name and setting by the other contradict each other. */
const sameValue: Readonly<Record<string, string>> = {
  account_external_id: 'account_domain',
  contact_external_id: 'contact_email',
};

/** Checks the names of `clear`. @throws ToolError for an unknown field, and for one that is set too */
const checkClear = (
  clear: readonly string[],
  known: readonly string[],
  { custom_fields: custom, ...set }: Fields,
): void => {
  const slugs = Object.keys(custom ?? {}).map((slug) => `custom__${slug.replace(/^custom__/, '')}`);
  const isSet = [...Object.keys(set), ...slugs];
  for (const [index, name] of clear.entries()) {
    if (!known.includes(name) && !name.startsWith('custom__'))
      throw invalid({ [`clear[${index}]`]: `"${name}" is not a field; ${allowedText([...known, 'custom__…'])}` });
    const other = isSet.find((one) => (sameValue[one] ?? one) === (sameValue[name] ?? name));
    if (other !== undefined)
      throw invalid({
        [`clear[${index}]`]: `"${name}" cannot be cleared and set (${other}) in one call: send one of them`,
      });
  }
};

const updateTool = (kind: RecordKind, noun: string, fields: z.core.$ZodLooseShape) =>
  defineTool({
    name: `update_${kind}`,
    title: `Update ${kind === 'account' ? 'an' : 'a'} ${kind}`,
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
      checkClear(clear, known, sentFields);
      const changed: Fields = { ...sentFields, ...Object.fromEntries(clear.map((name) => [name, null])) };
      const isMoved = kind === 'deal' && changed['stage_name'] !== undefined;
      const deal = isMoved ? (await session.crm.opportunities.get(id, { fields: [] })).data.opportunity : undefined;
      const body = kind === 'deal' ? await dealBody(session, deal?.pipeline_id ?? '', changed) : changed;
      const update = session.crm[collections[kind]].update(id, body, { ifVersion: version });
      const answer = await orMayBeMade<WriteAnswer<unknown>>(update, 'The change');
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
