import { maxCustomValues, maxEmailLength, maxNameLength, type ObjectDescription } from '@crm/domain';
import { Type, type Static, type TProperties, type TObject, type TUnsafe } from 'typebox';
import { keysPerCall, rawKeyLength } from '../bounds.js';
import { visibleText } from '../openapi/shown-checks.js';
import type { CustomKeys } from './custom-field.js';
import { checkedAs, having, type SchemaOptions, text } from './build.js';

/** An object of a request: keys that are not listed are refused. */
export const closed = <P extends TProperties>(properties: P, options: SchemaOptions): TObject<P> =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** Like {@link closed}, but also accepts `custom__<slug>` keys. */
export const closedWithCustom = <P extends TProperties>(
  properties: P,
  options: SchemaOptions,
): TUnsafe<Static<TObject<P>> & CustomKeys> =>
  Type.Unsafe<Static<TObject<P>> & CustomKeys>(
    Type.Object(properties, {
      additionalProperties: false,
      patternProperties: { '^custom__': { description: 'A custom field value under its `property_name`.' } },
      maxProperties: Object.keys(properties).length + maxCustomValues,
      ...options,
    }),
  );

/** An email as sent. `domain` normalizes and checks it. */
export const EmailInput = (description: string, example = 'ada@acme.com') =>
  text(description, example, { maxLength: maxEmailLength, ...checkedAs('email') });

/** A company domain as sent, which may be a URL. `domain` normalizes and checks it. */
export const DomainInput = (description: string, example = 'acme.com') =>
  text(description, example, { maxLength: rawKeyLength, ...checkedAs('domain') });

/** A short text such as a name. */
export const ShortText = (description: string, example: string) =>
  text(description, example, { maxLength: maxNameLength });

/** Makes the natural key of an object required unless the body has an `external_id`. */
export const requiredWithoutExternalId = ({ fields }: ObjectDescription) => {
  const key = fields.find(({ write }) => write?.isKey === true)?.name ?? '';
  return {
    allOf: [
      {
        if: having({ external_id: { type: 'string', pattern: visibleText } }),
        else: having({ [key]: { type: 'string' } }),
      },
    ],
  };
};

/** A list of emails or domains. */
export const KeyList = (item: ReturnType<typeof EmailInput>, description: string) =>
  Type.Array(item, { maxItems: keysPerCall, description });
