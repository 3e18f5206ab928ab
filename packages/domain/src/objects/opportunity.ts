import { normalizeForSearch } from '../text.js';
import { externalId, history, type ObjectDescription } from './field.js';

/** The maximum length of `next_step`, in code points. */
export const maxNextStepLength = 2_000;

/** Whether opportunities in a stage are open, won or lost. */
export const stageOutcomes = ['open', 'won', 'lost'] as const;

/** One of {@link stageOutcomes}. */
export type StageOutcome = (typeof stageOutcomes)[number];

/** A deal in a pipeline, with its account, contacts and owner. */
export const opportunity = {
  one: 'opportunity',
  a: 'an opportunity',
  many: 'opportunities',
  fields: [
    { name: 'id', kind: 'uuid', always: true, required: true, about: 'Id of the opportunity.', example: 'opportunity' },
    {
      name: 'name',
      kind: 'text',
      always: true,
      about: 'Name of the deal.',
      example: 'Acme renewal',
      write: {
        as: 'requiredName',
        isKey: true,
        about: 'Name of the deal, not blank: part of its natural key, together with account and pipeline.',
        derive: (name: string) => ({ normalized_name: normalizeForSearch(name) }),
      },
    },
    { name: 'pipeline_id', kind: 'uuid', always: true, required: true, about: 'Its pipeline.', example: 'pipeline' },
    {
      name: 'stage_id',
      kind: 'uuid',
      always: true,
      about: 'Its stage.',
      example: 'stage',
      write: {
        as: 'stage',
        about: 'A stage of the pipeline. A new deal without one starts in the default stage.',
        alias: 'stage',
        aliasAs: {
          as: 'stageLabel',
          about:
            'Label of the stage, for `stage_id`. Case, invisible characters and the amount of white space do not count.',
          example: 'Won',
        },
      },
    },
    { name: 'stage_name', kind: 'text', always: true, about: 'Label of its stage.', example: 'Qualified' },
    { name: 'account_id', kind: 'uuid', always: true, about: 'Its account.', example: 'account' },
    {
      name: 'contact_id',
      kind: 'uuid',
      always: true,
      anyLinked: true,
      about: 'Its primary contact. Filters also compare its additional contacts.',
      example: 'contact',
    },
    {
      name: 'additional_contacts',
      kind: 'contact_list',
      always: true,
      required: true,
      about: 'Its contacts other than the primary one.',
      write: {
        as: 'emails',
        part: 'related_objects',
        name: 'additional_contact_emails',
        reference: 'additional_emails',
        about: 'Emails of additional contacts, who are created if missing.',
      },
    },
    externalId,
    {
      name: 'amount',
      kind: 'number',
      about: 'Deal size.',
      example: 48000,
      write: {
        as: 'amount',
        name: 'deal_size',
        alias: 'amount',
        about: 'A number with at most 15 digits, including up to 4 decimals. Reads return it as `amount`.',
      },
    },
    {
      name: 'currency',
      kind: 'text',
      about: 'ISO 4217 code.',
      example: 'USD',
      write: { as: 'currencyCode', about: 'Currency of `deal_size`: an ISO 4217 code in capital letters.' },
    },
    {
      name: 'close_date',
      kind: 'epoch_ms',
      about: 'Unix milliseconds.',
      example: 1798675200000,
      write: {
        as: 'dealDate',
        about: 'When it is expected to close: Unix milliseconds, YYYY-MM-DD (UTC) or RFC 3339.',
      },
    },
    {
      name: 'next_action_date',
      kind: 'epoch_ms',
      about: 'Unix milliseconds.',
      example: 1796083200000,
      write: { as: 'dealDate', about: 'When the next action is due: like `close_date`.' },
    },
    {
      name: 'next_step',
      kind: 'text',
      about: 'The next step.',
      example: 'Send proposal',
      write: { as: 'text', max: maxNextStepLength, alias: 'next_steps' },
    },
    {
      name: 'owner_id',
      kind: 'uuid',
      about: 'Id of the member who owns the deal.',
      example: 'member',
      write: {
        as: 'owner',
        part: 'related_objects',
        name: 'owner_email',
        about: 'Email of the member who owns the deal.',
        example: 'owner@example.com',
      },
    },
    { name: 'owner_email', kind: 'email', about: 'Email of the owner.', example: 'owner@example.com' },
    {
      name: 'outcome',
      kind: 'text',
      oneOf: stageOutcomes,
      about: 'Outcome of its stage: `open`, `won` or `lost`. Null without a stage.',
      example: 'open',
    },
    {
      name: 'stage_entered_at',
      kind: 'timestamp',
      about: 'When it entered its stage. Null without a stage.',
    },
    {
      name: 'closed_at',
      kind: 'timestamp',
      about: 'When it entered its stage, if that is won or lost; null while it is open.',
    },
    { name: 'probability', kind: 'number', about: 'Probability of its stage, in percent.', example: 40 },
    {
      name: 'weighted_amount',
      kind: 'number',
      about: '`amount` × `probability` ÷ 100, with all decimals. Null if one of them is null.',
      example: 19200,
    },
    {
      name: 'seconds_in_stage',
      kind: 'number',
      whole: true,
      onRequest: true,
      about: 'Whole seconds since `stage_entered_at`, at the time of the read. Only if `fields` names it.',
      example: 86400,
    },
    {
      name: 'days_to_close',
      kind: 'number',
      onRequest: true,
      about:
        'Days from `created_at` to `closed_at`, with up to 8 decimals. Null while it is open. Only if `fields` names it.',
      example: 12.25,
    },
    ...history,
    {
      name: 'account_domain',
      kind: 'domain',
      about: 'Domain of its account.',
      example: 'acme.com',
      write: {
        as: 'domain',
        part: 'related_objects',
        reference: 'account_domain',
        about: 'Domain of the account, which is created if it is missing.',
      },
    },
    {
      name: 'account_external_id',
      kind: 'text',
      exact: true,
      about: '`external_id` of its account.',
      example: 'SF-0012',
      write: {
        as: 'name',
        part: 'related_objects',
        reference: 'account_external_id',
        about: '`external_id` of the account, which must exist.',
      },
    },
    { name: 'account_name', kind: 'text', readAs: 'name', about: 'Name of its account.', example: 'Acme' },
    {
      name: 'contact_email',
      kind: 'email',
      about: 'Email of the primary contact.',
      example: 'ada@acme.com',
      write: {
        as: 'email',
        part: 'related_objects',
        name: 'primary_contact_email',
        reference: 'primary_email',
        about: 'Email of the primary contact, who is created if missing.',
      },
    },
    {
      name: 'contact_external_id',
      kind: 'text',
      exact: true,
      about: '`external_id` of the primary contact.',
      example: 'SF-0013',
      write: {
        as: 'name',
        part: 'related_objects',
        name: 'primary_contact_external_id',
        reference: 'primary_external_id',
        about: '`external_id` of the primary contact, who must exist.',
      },
    },
    {
      name: 'additional_contact_external_ids',
      kind: 'contact_list',
      isInput: true,
      about: '`external_id`s of additional contacts, who must exist. They join those of `additional_contact_emails`.',
      write: {
        as: 'externalIds',
        part: 'related_objects',
        name: 'additional_contact_external_ids',
        reference: 'additional_external_ids',
      },
    },
    {
      name: 'contact_first_name',
      kind: 'text',
      readAs: 'name',
      about: 'First name of the primary contact.',
      example: 'Ada',
    },
    {
      name: 'contact_last_name',
      kind: 'text',
      readAs: 'name',
      about: 'Last name of the primary contact.',
      example: 'Lovelace',
    },
    { name: 'pipeline_name', kind: 'text', required: true, about: 'Name of its pipeline.', example: 'Sales' },
  ],
} as const satisfies ObjectDescription;
