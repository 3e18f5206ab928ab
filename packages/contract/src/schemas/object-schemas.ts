import { contact, type ObjectDescription, opportunity } from '@crm/domain';
import { Type, type Static, type TProperties, type TSchema } from 'typebox';
import { bulkCreateItems, bulkUpdateItems, includedRecords } from '../bounds.js';
import type { IncludedName } from './included-names.js';
import { exampleOf, flag, listOf, type SchemaOptions } from './build.js';
import { bulkBody, bulkTarget } from './bulk.js';
import { CustomFieldDefinitions } from './custom-field.js';
import { closedWithCustom, requiredWithoutExternalId } from './input.js';
import { inputProperties, type RecordOf, recordProperties } from './object-fields.js';
import { Note } from './note.js';
import { pageOf, type pageProperties } from './pagination.js';

type PageProperties = Static<ReturnType<typeof Type.Object<typeof pageProperties>>>;
type Definitions = Static<typeof CustomFieldDefinitions>;
/** The type of a page of records. */
type PageOf<D extends ObjectDescription> = { [Many in D['many']]: RecordOf<D>[] } & PageProperties & {
    custom_field_definitions: Definitions;
  };
/** The type of one record with the definitions of its custom fields. */
type DetailOf<D extends ObjectDescription> = { [One in D['one']]: RecordOf<D> } & {
  custom_field_definitions: Definitions;
  included?: Included;
};

/** The newest records of one kind that a read of one record includes. */
export interface IncludedPage {
  records: object[];
  has_more: boolean;
}
/** The records that `include` names. */
export type Included = Partial<Record<IncludedName, IncludedPage>>;

const includedPage = (item: TSchema, many: IncludedName) =>
  Type.Object(
    {
      records: listOf(item, `The newest ${many}, at most ${includedRecords}.`),
      has_more: flag(`Whether there are more ${many}.`, false),
    },
    { title: `Included${capitalized(many)}`, description: `Included ${many}.` },
  );

const included = () =>
  Type.Object(
    {
      opportunities: Type.Optional(includedPage(objectRecord(opportunity), 'opportunities')),
      contacts: Type.Optional(includedPage(objectRecord(contact), 'contacts')),
      notes: Type.Optional(includedPage(Note, 'notes')),
    },
    { title: 'Included', description: 'The records that `include` names.', examples: [{}] },
  );

/** `account` → `Account` */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const abouts: Readonly<Record<ObjectDescription['one'], string>> = {
  account: 'A company.',
  contact: 'A person.',
  opportunity: 'A deal in a pipeline.',
};

/** The schema of an object's records. The example has only the fields of every record. */
export const objectRecord = (description: ObjectDescription) => {
  const { always, all } = recordProperties(description);
  const options = { title: capitalized(description.one), description: abouts[description.one] };
  return Type.Object(all, { ...options, examples: [exampleOf({ properties: always })] });
};

/** The schemas of an object's responses. The example of a record in a list has only the fields of every record. */
export const responseSchemas = <const D extends ObjectDescription>(description: D) => {
  const { one, many } = description;
  const One = capitalized(one);
  const { all } = recordProperties(description);
  const record = objectRecord(description);
  const page = pageOf(`${One}Page`, `A page of ${many}.`, {
    [many]: listOf(record, 'The records of this page.'),
    custom_field_definitions: CustomFieldDefinitions,
  });
  const detail = Type.Object(
    { [one]: record, custom_field_definitions: CustomFieldDefinitions, included: Type.Optional(included()) },
    {
      title: `${One}Detail`,
      description: `One ${one} with every system field and visible custom field, unless \`fields\` narrows it.`,
      examples: [
        { [one]: exampleOf({ properties: all }), custom_field_definitions: exampleOf(CustomFieldDefinitions) },
      ],
    },
  );
  return { page: Type.Unsafe<PageOf<D>>(page), detail: Type.Unsafe<DetailOf<D>>(detail) };
};

/** The shape of the bodies that create and update one record. */
export interface BodyShape {
  readonly create: (options: SchemaOptions) => TSchema;
  /** @param target - the properties of an item of a bulk update that name its record */
  readonly update: (target: TProperties, options: SchemaOptions) => TSchema;
}

/** Bodies with the fields at their top. */
export const flatBodies = (description: ObjectDescription): BodyShape => ({
  create: (options) =>
    closedWithCustom(inputProperties(description, 'create'), { ...options, ...requiredWithoutExternalId(description) }),
  update: (target, options) => closedWithCustom({ ...target, ...inputProperties(description, 'update') }, options),
});

/** The texts of an object's bodies, and their examples. */
export interface BodyTexts {
  readonly create: { readonly description: string; readonly examples: readonly [object] };
  readonly update: { readonly description: string; readonly examples: readonly [object] };
  readonly createItems: readonly object[];
  readonly updateItems: readonly object[];
}

/** The schemas of the bodies that write records of an object. */
export const bodySchemas = ({ one, many }: ObjectDescription, shape: BodyShape, texts: BodyTexts) => {
  const [One, Many] = [capitalized(one), capitalized(many)];
  const create = shape.create({ title: `Create${One}Body`, ...texts.create });
  const updateItem = shape.update(bulkTarget, {
    title: `Update${One}Item`,
    description: `Changes to the ${one} with this id.`,
  });
  return {
    create,
    update: shape.update({}, { title: `Update${One}Body`, ...texts.update }),
    updateItem,
    bulkCreate: bulkBody(create, bulkCreateItems, {
      title: `BulkCreate${Many}Body`,
      description: 'The records to create, each as in a single create.',
      examples: [{ items: texts.createItems }],
    }),
    bulkUpdate: bulkBody(updateItem, bulkUpdateItems, {
      title: `BulkUpdate${Many}Body`,
      description: 'The changes, each as in a single update, with the id of its record.',
      examples: [{ items: texts.updateItems }],
    }),
  };
};
