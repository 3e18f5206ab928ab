import { type Parameter, referencedName, type Schema } from '../document.js';
import { escapeHtml, renderParagraphs } from '../html.js';

/** The schemas of a document, by name. */
export type Schemas = Readonly<Record<string, Schema>>;

const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;

const isNull = ({ type }: Schema): boolean => type === 'null';

/** The variants of a schema, including those of nested `anyOf`. Leaves out null, which the type shows. */
const variantsOf = (schema: Schema): readonly Schema[] =>
  (schema.anyOf ?? schema.oneOf ?? []).flatMap((variant) =>
    variant.anyOf === undefined ? (isNull(variant) ? [] : [variant]) : variantsOf(variant),
  );

/** The type of a schema: `string or null`, `list of Account`, `object or list of objects`. */
export const typeText = (schema: Schema, schemas: Schemas): string => {
  if (schema.$ref !== undefined) {
    const name = referencedName(schema.$ref);
    return `<a href="#object-${name}">${escapeHtml(schemas[name]?.title ?? name)}</a>`;
  }
  const variants = variantsOf(schema);
  const canBeNull = (schema.anyOf ?? schema.oneOf ?? []).some(isNull);
  if (variants.length > 0) {
    const texts = [...new Set(variants.map((variant) => typeText(variant, schemas)))];
    return [...texts, ...(canBeNull ? ['null'] : [])].join(' or ');
  }
  const types = [schema.type ?? 'any'].flat().map((type) => {
    if (type === 'array') return `list${schema.items === undefined ? '' : ` of ${typeText(schema.items, schemas)}`}`;
    return type === 'string' && schema.format !== undefined ? schema.format : type;
  });
  return types.join(' or ');
};

/** Bounds, default and example of a value: `at most 255 characters`, `default 100`. */
const boundsOf = (schema: Schema, example: unknown): string[] => {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const range = (low: number | undefined, high: number | undefined, unit: string): string[] => {
    if (low !== undefined && high !== undefined) return [`${low} to ${high}${unit}`];
    if (high !== undefined) return [`at most ${high}${unit}`];
    return low === undefined ? [] : [`at least ${low}${unit}`];
  };
  const shown = example ?? schema.examples?.[0];
  const { enum: allowed, 'x-extensible-enum': known } = schema;
  const values = allowed ?? known ?? [];
  return [
    ...range(minimum, maximum, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' entries'),
    ...(values.length > 0
      ? [
          `${allowed === undefined ? 'known values' : 'one of'} ${values.map((value) => code(JSON.stringify(value).replace(/^"(.*)"$/, '$1'))).join(' ')}`,
        ]
      : []),
    ...(schema.default === undefined ? [] : [`default ${code(JSON.stringify(schema.default))}`]),
    ...(shown === undefined || values.length > 0 ? [] : [`example ${code(JSON.stringify(shown))}`]),
  ];
};

/** A parameter or a property of an object. */
interface Field extends Omit<Parameter, 'in' | 'description'> {
  readonly description?: string | undefined;
  /** The fields of the object or of the entries, as HTML. */
  readonly children?: string;
  readonly anchor?: string;
}

const fieldItem = (field: Field, schemas: Schemas): string => {
  const { name, schema, required = false, description, example, children = '', anchor } = field;
  const bounds = boundsOf(schema, example);
  return `<li${anchor === undefined ? '' : ` id="${anchor}"`}><p class="field"><code class="name">${escapeHtml(name)}</code> <span class="type">${typeText(schema, schemas)}</span>${
    required ? ' <span class="required">required</span>' : ''
  }</p>${description === undefined ? '' : renderParagraphs(description)}${
    bounds.length === 0 ? '' : `<p class="bounds">${bounds.join(' · ')}</p>`
  }${children}</li>`;
};

const listOf = (fields: readonly Field[], schemas: Schemas): string =>
  `<ul class="fields">${fields.map((field) => fieldItem(field, schemas)).join('')}</ul>`;

/** Parameters of a path, a query or headers as a list; with a prefix, each has an anchor. */
export const parameterList = (
  parameters: readonly Omit<Parameter, 'in'>[],
  schemas: Schemas,
  anchorPrefix?: string,
): string => {
  if (anchorPrefix === undefined) return listOf(parameters, schemas);
  const withAnchors = parameters.map((parameter) => ({ ...parameter, anchor: `${anchorPrefix}${parameter.name}` }));
  return listOf(withAnchors, schemas);
};

const nestedFields = (schema: Schema, schemas: Schemas): string => {
  const inner = fieldList(schema.items?.properties === undefined ? schema : schema.items, schemas);
  return inner === ''
    ? ''
    : `<details><summary>Fields of the ${schema.items ? 'entries' : 'object'}</summary>${inner}</details>`;
};

/** The fields of an object as nested lists; references to other objects are links. */
export const fieldList = (schema: Schema, schemas: Schemas): string => {
  const variants = variantsOf(schema).filter(({ properties }) => properties !== undefined);
  if (variants.length > 0) {
    return variants.map((variant) => fieldList(variant, schemas)).join('<p class="or">or</p>');
  }
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const required = schema.required?.includes(name) === true;
    const children = nestedFields(property, schemas);
    return { name, schema: property, required, description: property.description, children };
  });
  return fields.length === 0 ? '' : listOf(fields, schemas);
};

/** The object that a reference points to. */
export const resolveSchema = (schema: Schema, schemas: Schemas): Schema =>
  schema.$ref === undefined ? schema : (schemas[referencedName(schema.$ref)] ?? {});

/** The names of the objects that a text of the page links to. */
export const linkedObjects = (html: string): readonly string[] =>
  [...html.matchAll(/href="#object-([^"]+)"/g)].map(([, name]) => name ?? '');
