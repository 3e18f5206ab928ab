import {
  attributeDescriptions,
  attributeTypes,
  maxNameLength,
  maxOptions,
  maxRatingMax,
  maxSlugLength,
  objectTypes,
  stageOutcomes,
} from '@crm/domain';
import { Type, type Static } from 'typebox';
import {
  checkedAs,
  flag,
  having,
  integer,
  listOf,
  number,
  oneOf,
  optional,
  responseObject,
  text,
  uuid,
} from './build.js';
import { Field } from './field.js';
import { closed } from './input.js';
import { Pipeline, Stage } from './pipeline.js';

/** The maximum number of stages in the creation of a pipeline. */
const stagesPerCall = 100;

const named = (description: string, example: string) =>
  text(description, example, { maxLength: maxNameLength, ...checkedAs('requiredName') });
const color = optional(text('A color name, or `#rrggbb`.', '#2563eb', { maxLength: 20, ...checkedAs('color') }));
const position = integer('Position in the list, from 1.', 2, { minimum: 1, maximum: 100_000 });
const isDefault = flag('Whether new deals start here.', false);
const probability = optional(number('Chance of winning, in percent.', 40, { minimum: 0, maximum: 100 }));
const outcome = oneOf(stageOutcomes, 'Whether deals in it are open, won or lost. Default: open.', 'open', {
  title: 'StageOutcome',
});
const isActive = (description: string) => Type.Optional(flag(description, true));
const isHidden = flag('Whether reads leave it out unless `fields` names it.');
const ratingMax = { minimum: 1, maximum: maxRatingMax };
const currency = optional(text('Currency fields: ISO 4217 code.', 'EUR', checkedAs('currencyCode')));

/** A stage of a new pipeline. */
const StageInput = closed(
  {
    label: named('Display text, unique in the pipeline.', 'Qualified'),
    color,
    probability,
    outcome: optional(outcome),
    is_default: optional(isDefault),
  },
  { title: 'StageInput', description: 'A stage to create.' },
);

/** The body that creates a pipeline. */
export const CreatePipelineBody = closed(
  {
    name: named('Name, unique in the organization.', 'Partner sales'),
    stages: Type.Array(StageInput, { minItems: 1, maxItems: stagesPerCall, description: 'Its stages, in order.' }),
    position: optional(position),
  },
  {
    title: 'CreatePipeline',
    examples: [
      { name: 'Partner sales', stages: [{ label: 'Open' }, { label: 'Won', probability: 100, outcome: 'won' }] },
    ],
  },
);

/** The body that changes a pipeline. */
export const UpdatePipelineBody = closed(
  {
    name: Type.Optional(named('New name, unique in the organization.', 'New business')),
    position: Type.Optional(position),
    is_active: isActive('False archives it: it keeps its deals and accepts no new ones. True restores it.'),
  },
  { title: 'UpdatePipeline', minProperties: 1, examples: [{ name: 'New business', position: 1 }] },
);

/** The body that adds a stage. */
export const CreateStageBody = closed(
  {
    label: named('Display text, unique in the pipeline.', 'Contract sent'),
    color,
    probability,
    outcome: optional(outcome),
    position: optional(position),
    is_default: optional(isDefault),
  },
  { title: 'CreateStage', examples: [{ label: 'Contract sent', probability: 80, position: 2 }] },
);
export type CreateStageBody = Static<typeof CreateStageBody>;

/** The body that changes a stage. */
export const UpdateStageBody = closed(
  {
    label: Type.Optional(named('New display text, unique in the pipeline.', 'In negotiation')),
    color,
    probability,
    outcome: Type.Optional(
      oneOf(stageOutcomes, 'Whether deals in it are open, won or lost.', 'won', { title: 'StageOutcome' }),
    ),
    position: Type.Optional(position),
    is_default: Type.Optional(isDefault),
    is_active: isActive('False archives it, true restores it.'),
    move_opportunities_to: optional(
      uuid('With `is_active: false`: the stage of the same pipeline that gets its deals.', 'stage'),
    ),
  },
  {
    title: 'UpdateStage',
    minProperties: 1,
    examples: [{ label: 'In negotiation', probability: 60 }],
    'x-rules': {
      if: having({ move_opportunities_to: { type: 'string' } }),
      then: having({ is_active: { const: false } }),
    },
  },
);
export type UpdateStageBody = Static<typeof UpdateStageBody>;

const optionText = (description: string, example: string) =>
  text(description, example, { minLength: 1, maxLength: maxNameLength, ...checkedAs('requiredName') });

/** A new option of a select field. */
const OptionInput = closed(
  {
    label: optionText('Display text.', 'Enterprise'),
    value: optional(optionText('Stored value. Default: the label.', 'enterprise')),
    color,
  },
  { title: 'OptionInput', description: 'An option to create.' },
);

const typesWith = (setting: 'options' | 'currency' | 'max') =>
  attributeTypes.filter((type) => attributeDescriptions[type].setting === setting);

/** A property that only some fields may have. */
const onlyFor = (name: string, decider: string, values: readonly string[]) => ({
  if: having({ [name]: { not: { type: 'null' } } }),
  then: having({ [decider]: { enum: [...values] } }),
});

/** The rules between the properties of a new field. */
const fieldRules = {
  if: having({ attribute_type: { enum: typesWith('options') } }),
  then: having({ options: { type: 'array', items: {}, minItems: 1 } }),
  else: { properties: { options: { type: 'null' } }, additionalProperties: true },
  dependentSchemas: {
    currency: onlyFor('currency', 'attribute_type', typesWith('currency')),
    max: onlyFor('max', 'attribute_type', typesWith('max')),
    pipeline_ids: onlyFor('pipeline_ids', 'object', ['opportunity']),
  },
};

/** The body that defines a custom field. */
export const CreateFieldBody = closed(
  {
    object: oneOf(objectTypes, 'The object that gets the field.', 'opportunity', { title: 'FieldObject' }),
    current_name: named('Display name.', 'Deal tier'),
    slug: text('Its name in requests: lower-case letters, digits and `_`. It cannot change.', 'deal_tier', {
      maxLength: maxSlugLength,
      ...checkedAs('slug'),
    }),
    attribute_type: oneOf(attributeTypes, 'The type of its values. It cannot change.', 'select', {
      title: 'AttributeType',
    }),
    options: optional(
      Type.Array(OptionInput, { maxItems: maxOptions, description: 'Select types: the options, at least one.' }),
    ),
    currency,
    max: optional(integer('Rating fields: the highest value. Default: 5.', 5, ratingMax)),
    pipeline_ids: optional(
      Type.Array(uuid('Id of a pipeline.', 'pipeline'), {
        minItems: 1,
        maxItems: 100,
        description: 'Fields of opportunities: the pipelines they apply to. They cannot change. Default: all.',
      }),
    ),
    is_hidden: optional(isHidden),
    position: optional(position),
  },
  {
    title: 'CreateField',
    'x-rules': fieldRules,
    examples: [
      {
        object: 'account',
        current_name: 'Account tier',
        slug: 'account_tier',
        attribute_type: 'select',
        options: [{ label: 'Enterprise', value: 'enterprise' }, { label: 'Small' }],
      },
    ],
  },
);
export type CreateFieldBody = Static<typeof CreateFieldBody>;

/** The body that changes a custom field. */
export const UpdateFieldBody = closed(
  {
    current_name: Type.Optional(named('New display name.', 'Tier')),
    is_hidden: Type.Optional(isHidden),
    is_active: isActive('False archives it: requests that name it are refused, and its values stay. True restores it.'),
    currency,
    reinterpret_values: Type.Optional(
      flag('With a new `currency`, of a field that has values: the numbers stay and become amounts in it.'),
    ),
    max: optional(integer('Rating fields: the highest value.', 5, ratingMax)),
    position: Type.Optional(position),
  },
  { title: 'UpdateField', minProperties: 1, examples: [{ current_name: 'Tier', position: 3 }] },
);

/** The body that adds an option. */
export const CreateOptionBody = closed(
  {
    label: optionText('Display text, unique among the options in use.', 'Startup'),
    value: optional(optionText('Stored value, unique. It cannot change. Default: the label.', 'startup')),
    color,
  },
  { title: 'CreateOption', examples: [{ label: 'Startup', value: 'startup', color: 'teal' }] },
);

/** The body that changes an option. */
export const UpdateOptionBody = closed(
  {
    value: optionText('Stored value of the option.', 'enterprise'),
    label: Type.Optional(optionText('New display text.', 'Enterprise (500+)')),
    color,
    position: Type.Optional(position),
    is_active: isActive('False archives it: it can still be read but no longer written. True restores it.'),
  },
  { title: 'UpdateOption', examples: [{ value: 'enterprise', label: 'Enterprise (500+)' }] },
);

/** `data` with one pipeline. */
export const PipelineDetail = responseObject('PipelineDetail', 'A pipeline with its stages.', {
  pipeline: Pipeline,
  stages: listOf(Stage, 'Its stages, in order.'),
});

/** `data` with one stage. */
export const StageDetail = responseObject('StageDetail', 'A stage.', { stage: Stage });

/** `data` with one custom field. */
export const FieldDetail = responseObject('FieldDetail', 'A custom field.', { field: Field });
