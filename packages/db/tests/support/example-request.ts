import { type AttributeType, ErrorCollector, type ObjectType, parseLimit, parseSearchQuery } from '@crm/domain';
import { OrganizationSetup, type SetupField } from '../../src/organization-setup.js';

import { type PageRequest, parsePageRequest } from '../../src/page/page-request.js';

const idOf = (number: number): string => `019c1402-8100-7000-8000-${String(number).padStart(12, '0')}`;

const createdAt = '2026-01-01T00:00:00.000Z';

const field = (slug: string, attributeType: AttributeType, slot: string | null): SetupField => ({
  ...{ id: `id-of-${slug}`, objectType: 'opportunity', slug, name: slug, attributeType, slot },
  ...{ position: 0, isHidden: false, isActive: true, createdAt, pipelineIds: null },
  metadata:
    attributeType === 'select' ? { options: options.map((value) => ({ value, label: value, color: '#000' })) } : null,
});

const options = ['gold', 'iron', 'zinc'];

const stages = (['Lead', 'Won'] as const).map((label, index) => ({
  ...{ id: idOf(11 + index), pipelineId: idOf(1), label, position: index, color: '#000' },
  ...{ isActive: true, isDefault: index === 0, probability: 40 + index * 60 },
  outcome: label === 'Won' ? ('won' as const) : ('open' as const),
}));

/** An organization with two pipelines, of which Sales has two stages, and with three custom fields, two of them indexed. */
export const exampleSetup = new OrganizationSetup(idOf(0), {
  version: '00000000-0000-4000-8000-000000000000',
  freemail: 'create',
  currency: null,
  pipelines: ['Sales', 'Partners'].map((name, index) => ({
    ...{ id: idOf(1 + index), name, position: index, isActive: true, createdAt },
    stages: index === 0 ? stages : [],
  })),
  members: [{ id: idOf(21), email: 'ann@example.com', name: 'Ann', isActive: true, createdAt }],
  fields: [field('tier', 'select', 'text_1'), field('score', 'number', 'number_1'), field('weight', 'number', null)],
});

/** A request in short form: names instead of ids, and the position instead of a cursor. */
export interface ExampleRequest {
  readonly object?: ObjectType;
  readonly pipeline?: string;
  readonly stage?: string;
  readonly contact?: string;
  readonly q?: string;
  readonly filters?: unknown;
  readonly sort?: unknown;
  readonly after?: readonly (string | null)[];
  readonly limit?: string;
}

/** Parses an example as the gateway does. @throws ApiError if the gateway would reject it */
export const exampleRequest = (example: ExampleRequest): PageRequest => {
  const { object = 'opportunity', q, filters, sort, after = null, limit = '50' } = example;
  const errors = new ErrorCollector();
  const { request } = parsePageRequest(
    exampleSetup,
    {
      ...{ objectType: object, filters, sort, defaultSort: 'created_at' },
      pipelineId: exampleSetup.pipelines.find(({ name }) => name === example.pipeline)?.id,
      contactId: example.contact,
      stageId: stages.find(({ label }) => label === example.stage)?.id,
      readWords: (found) => parseSearchQuery(q, 'q', found),
      readLimit: (found) => parseLimit(limit, found),
    },
    errors,
  );
  errors.throwIfAny();
  return { ...request, position: after };
};
