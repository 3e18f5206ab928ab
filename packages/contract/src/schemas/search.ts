import {
  defaultLimit,
  maxFieldNames,
  maxFilterDepth,
  maxFilterLeaves,
  maxLimit,
  maxSortKeys,
  operatorAliases,
  operators,
} from '@crm/domain';
import { Type, type Static } from 'typebox';
import { fieldsEntryLength, rawParameterLength } from '../bounds.js';
import { integer, oneOf, optional, text, uuid } from './build.js';
import { exampleIds } from './example-ids.js';
import { closed } from './input.js';
import { operatorTable } from './operator-table.js';
import { PageCursor, pageLimitDescription, SearchTerm } from './pagination.js';

const filterReference = { $ref: '#/components/schemas/Filter' };

const combination = (title: string, description: string, key: string, schema: object) => ({
  title,
  description,
  type: 'object',
  required: [key],
  additionalProperties: false,
  properties: { [key]: schema },
});

/** One node of a filter, for the document only: `domain` parses filters, because it knows the fields and their types. */
export const filterDocument = {
  description: 'A condition on a field, or a combination of conditions.',
  // Every object has these fields.
  examples: [
    {
      and: [
        { field: 'created_at', operator: 'between', value: ['2026-01-01', '2026-07-01'] },
        {
          or: [
            { field: 'external_id', operator: 'in', value: ['SF-0012', 'SF-0013'] },
            { field: 'external_id', operator: 'empty' },
          ],
        },
        { not: { field: 'updated_at', operator: 'lt', value: '2026-02-01' } },
      ],
    },
  ],
  oneOf: [
    {
      title: 'FilterCondition',
      description: 'A condition on one field.',
      type: 'object',
      required: ['field', 'operator'],
      additionalProperties: false,
      properties: {
        field: {
          type: 'string',
          description:
            'A system field, or the slug or `custom__<slug>` of a custom field, or a part of one, as in `slug.start`. Also ' +
            '`account.domain`, `account.name` and `contact.email` of related records.',
          examples: ['updated_at'],
        },
        operator: {
          title: 'FilterOperator',
          type: 'string',
          enum: [...operators, ...Object.keys(operatorAliases)],
          description: `How the field compares with the value. A list of several choices is equal (\`eq\`) to a list of the same values.\n\n${operatorTable()}`,
        },
        value: {
          description: 'What to compare with. It has the type of the field and is never coerced.',
          examples: ['2026-01-01'],
        },
      },
    },
    combination('FilterAnd', 'All nodes must match.', 'and', {
      type: 'array',
      items: filterReference,
      description: 'The nodes that must all match.',
    }),
    combination('FilterOr', 'At least one node must match.', 'or', {
      type: 'array',
      items: filterReference,
      description: 'The nodes of which at least one must match.',
    }),
    combination('FilterNot', 'The inner node must not match.', 'not', {
      ...filterReference,
      description: 'Matches exactly the records that this node does not match.',
    }),
  ],
} as const;

/** The direction of a key of a sort. */
export const sortDirection = Type.Optional(
  oneOf(['asc', 'desc'], 'Nulls come last in both directions.', undefined, {
    title: 'SortDirection',
    default: 'asc',
  }),
);

/** One key of a sort, as an object. */
export const SortKey = closed(
  {
    field: text('Any field with a single value.', 'updated_at'),
    direction: sortDirection,
  },
  { title: 'SortKey', description: 'One key of a sort.' },
);

const filters = Type.Unsafe<Record<string, unknown> | unknown[]>({
  type: ['array', 'object'],
  maxItems: maxFilterLeaves,
  description: `A filter node. An array of nodes, which must all match, is accepted too. At most ${maxFilterLeaves} conditions, nested up to ${maxFilterDepth} levels.`,
  'x-document': filterReference,
});

const sort = Type.Unsafe<string | Record<string, unknown> | unknown[]>({
  type: ['string', 'object', 'array'],
  maxItems: maxSortKeys,
  maxLength: rawParameterLength,
  description:
    `Up to ${maxSortKeys} keys, the most significant first. One key alone, and keys as texts, "field" or "field:desc", are accepted ` +
    'too. Default: updated_at:desc.',
  'x-document': { type: 'array', items: SortKey, maxItems: maxSortKeys },
});

const fields = Type.Unsafe<string | string[]>({
  type: ['array', 'string'],
  items: { type: 'string', maxLength: fieldsEntryLength },
  maxItems: maxFieldNames,
  maxLength: fieldsEntryLength,
  description:
    'Fields to include: names of system fields, and slugs or `custom__<slug>` of custom fields. `custom_fields` ' +
    'stands for all visible custom fields, `default` for the fields of a search without `fields`. One text with names between commas is accepted too.',
  'x-document': {
    type: 'array',
    items: { type: 'string', maxLength: fieldsEntryLength },
    maxItems: maxFieldNames,
  },
});

/** Parameters of searches and summaries that select records. */
export const matchProperties = {
  query: optional(SearchTerm),
  q: optional({ ...SearchTerm, description: 'Another name of `query`.' }),
  filters: optional(filters),
};

/** Further parameters for opportunities. */
export const pipelineProperties = {
  pipeline_id: optional(uuid('Only opportunities of this pipeline.', 'pipeline')),
  stage_id: optional(uuid('Only opportunities in this stage.', 'stage')),
  contact_id: optional(uuid('Only opportunities of this person, as primary or as additional contact.', 'contact')),
};

/** Parameters of every search body. */
const searchProperties = {
  ...matchProperties,
  sort: optional(sort),
  limit: optional(integer(pageLimitDescription, undefined, { minimum: 1, maximum: maxLimit, default: defaultLimit })),
  cursor: optional(PageCursor),
  fields: optional(fields),
};

const example = {
  query: 'acme',
  filters: { field: 'updated_at', operator: 'gte', value: '2026-01-01' },
  sort: [{ field: 'updated_at', direction: 'desc' }],
  limit: 50,
};

/** The body of the account and contact searches. */
export const SearchBody = closed(searchProperties, {
  title: 'SearchBody',
  description: 'Words, filters and sort of a search.',
  examples: [example],
});
export type SearchBody = Static<typeof SearchBody>;

/** The body of the opportunity search. */
export const SearchOpportunitiesBody = closed(
  { ...pipelineProperties, ...searchProperties },
  {
    title: 'SearchOpportunitiesBody',
    description: 'Words, filters and sort of a search.',
    examples: [{ pipeline_id: exampleIds.pipeline, ...example }],
  },
);
export type SearchOpportunitiesBody = Static<typeof SearchOpportunitiesBody>;
