import {
  type FieldDescription,
  type FieldWrite,
  maxAccountWebsiteLength,
  maxEmailLength,
  maxEpochMs,
  maxNameLength,
  minEpochMs,
  type ObjectDescription,
  type SystemFieldKind,
} from '@crm/domain';
import { Type, type Static, type TProperties, type TSchema } from 'typebox';
import { keysPerCall, rawKeyLength } from '../bounds.js';
import { dealDateText } from '../openapi/shown-checks.js';
import type { CheckName } from '../validate/checks.js';
import { annotations, checkedAs, instant, nullable, optional, type SchemaOptions, text, uuid } from './build.js';
import { CustomFieldInput, CustomFields } from './custom-field.js';
import type { exampleIds } from './example-ids.js';

/** A contact of an opportunity other than its primary one. */
const AdditionalContact = Type.Object(
  {
    contact_id: uuid('Id of the contact.', 'secondContact'),
    contact_first_name: nullable(text('First name.', 'Grace')),
    contact_last_name: nullable(text('Last name.', 'Hopper')),
    contact_email: nullable(text('Email.', 'grace@acme.com', { format: 'email' })),
  },
  { title: 'AdditionalContact', additionalProperties: false, description: 'A contact other than the primary one.' },
);

/** The type of a field's values in records. */
interface Values {
  text: string;
  email: string;
  domain: string;
  number: number;
  boolean: boolean;
  uuid: string;
  epoch_ms: number;
  timestamp: string;
  contact_list: Static<typeof AdditionalContact>[];
  text_list: string[];
}

type PresentValue<F extends FieldDescription> = F extends { oneOf: readonly (infer V)[] } ? V : Values[F['kind']];
type ValueOf<F extends FieldDescription> = F extends { required: true } ? PresentValue<F> : PresentValue<F> | null;
type Always<F> = Extract<F, { always: true }>;
type Extra<F> = Exclude<F, { always: true } | { isInput: true }>;

/** The type of an object's records. */
export type RecordOf<D extends ObjectDescription, F extends FieldDescription = D['fields'][number]> = {
  [Field in Always<F> as Field['name']]: ValueOf<Field>;
} & { [Field in Extra<F> as Field['name']]?: ValueOf<Field> } & { custom_fields: Static<typeof CustomFields> };

type Kind = keyof typeof exampleIds;

const valueSchemas: Readonly<Record<SystemFieldKind, (field: FieldDescription, options: SchemaOptions) => TSchema>> = {
  text: ({ oneOf: values }, options) => Type.String(values === undefined ? options : { ...options, enum: [...values] }),
  email: (_field, options) => Type.String({ format: 'email', ...options }),
  domain: (_field, options) => Type.String(options),
  number: ({ whole }, options) => (whole === true ? Type.Integer(options) : Type.Number(options)),
  boolean: (_field, options) => Type.Boolean(options),
  uuid: ({ about, example }) => uuid(about, example as Kind),
  epoch_ms: (_field, options) => Type.Integer(options),
  timestamp: ({ about }) => instant(about),
  contact_list: (_field, options) => Type.Array(AdditionalContact, options),
  text_list: (_field, options) => Type.Array(Type.String(), options),
};

const recordField = (field: FieldDescription): TSchema => {
  const schema = valueSchemas[field.kind](field, annotations(field.about, field.example));
  const value = field.required === true ? schema : nullable(schema);
  return field.always === true ? value : Type.Optional(value);
};

/** The schemas of the fields of an object's records: those of every record, and all. */
export const recordProperties = ({ fields }: ObjectDescription) => {
  const schemas = (isAlways: boolean): TProperties =>
    Object.fromEntries(
      fields
        .filter(({ always, isInput }) => (always === true) === isAlways && isInput !== true)
        .map((field) => [field.name, recordField(field)]),
    );
  const always = { ...schemas(true), custom_fields: CustomFields };
  return { always, all: { ...always, ...schemas(false) } };
};

/** The limits of what a body may send, and the rule of `domain` that the handler checks. */
const limits: Readonly<
  Record<Exclude<FieldWrite['as'], 'stage' | 'stageLabel' | 'emails' | 'externalIds'>, SchemaOptions>
> = {
  name: { maxLength: maxNameLength },
  requiredName: { maxLength: maxNameLength },
  text: { maxLength: maxNameLength },
  website: { maxLength: maxAccountWebsiteLength },
  phone: { maxLength: maxNameLength },
  email: { maxLength: maxEmailLength },
  domain: { maxLength: rawKeyLength },
  amount: {},
  currencyCode: {},
  dealDate: {
    type: ['number', 'string'],
    maxLength: maxNameLength,
    'x-document': {
      type: ['integer', 'string'],
      minimum: minEpochMs,
      maximum: maxEpochMs,
      maxLength: maxNameLength,
      pattern: dealDateText,
    },
  },
  owner: { maxLength: maxEmailLength },
};

const unchecked: readonly string[] = ['name', 'text'];

/** A list of external ids in a body. */
export const externalIdList = (description: string) =>
  Type.Array(
    text('Id in another system.', 'SF-0012', { minLength: 1, maxLength: maxNameLength, ...checkedAs('requiredName') }),
    {
      maxItems: keysPerCall,
      description,
    },
  );

const inputSchema = ({ about, example }: FieldDescription, write: FieldWrite): TSchema => {
  const { as, max } = write;
  const description = write.about ?? about;
  if (as === 'stage') return uuid(description, example as Kind);
  if (as === 'stageLabel') return text(description, String(write.example), { maxLength: maxNameLength });
  if (as === 'externalIds') return externalIdList(description);
  if (as === 'emails') {
    const item = inputSchema(
      { name: '', kind: 'email', about: 'Email of a contact.', example: 'grace@acme.com' },
      { as: 'email' },
    );
    return Type.Array(item, { maxItems: keysPerCall, description });
  }
  const rule = as === 'owner' ? 'email' : as;
  const options = {
    ...limits[as],
    ...(max === undefined ? {} : { maxLength: max }),
    ...annotations(description, write.example ?? example),
    ...(unchecked.includes(rule) ? {} : { 'x-check': rule as CheckName }),
  };
  return as === 'amount' ? Type.Number(options) : Type.String(options);
};

/**
 * The properties of a body that set the fields of an object.
 * @param part - of the fields that are in a part of their own
 */
export const inputProperties = (
  { a, fields }: ObjectDescription,
  call: 'create' | 'update',
  part?: FieldWrite['part'],
): TProperties => {
  const properties = fields.flatMap((field): [string, TSchema][] => {
    const { name, write } = field;
    if (write?.part !== part || write === undefined) return [];
    if (write.isKey === true) {
      const about = `${write.about ?? ''} Optional if ${a} has the \`external_id\`.`;
      return [
        [
          name,
          call === 'update'
            ? Type.Optional(inputSchema(field, write))
            : optional(inputSchema(field, { ...write, about })),
        ],
      ];
    }
    const own: [string, TSchema] = [write.name ?? name, optional(inputSchema(field, write))];
    if (write.alias === undefined) return [own];
    const about = `Another name of \`${own[0]}\`.`;
    return [own, [write.alias, optional(inputSchema(field, { ...write, about, ...write.aliasAs }))]];
  });
  const custom = call === 'update' ? Type.Optional(CustomFieldInput) : optional(CustomFieldInput);
  return { ...Object.fromEntries(properties), ...(part === undefined ? { custom_fields: custom } : {}) };
};
