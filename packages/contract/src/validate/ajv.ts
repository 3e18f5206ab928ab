import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { idsPerParameter } from '../bounds.js';
import { includedNames } from '../schemas/included-names.js';
import { addChecks } from './checks.js';
import { addClosedObjects } from './closed-objects.js';

/** Accepts only the 36 character form. ajv's own format also accepts a `urn:uuid:` prefix, which PostgreSQL does not. */
const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * A strict ajv that reports every error and neither coerces nor changes values. `x-document` holds the schema that the
 * OpenAPI document shows if `domain` checks the rules, and `x-rules` those between properties that a handler checks;
 * validation ignores both.
 */
export const createAjv = (): Ajv2020 => {
  const ajv = new Ajv2020({ strict: true, allErrors: true, verbose: true, allowUnionTypes: true, ownProperties: true });
  ajv.addFormat('uuid', uuidPattern);
  ajv.addFormat('uuid-or-all', (text) => text === 'all' || uuidPattern.test(text));
  ajv.addFormat('uuid-list', (text) => {
    const ids = text.split(',');
    return ids.length <= idsPerParameter && ids.every((id) => uuidPattern.test(id));
  });
  for (const [object, names] of Object.entries<readonly string[]>(includedNames))
    ajv.addFormat(`include-${object}`, (text) => text.split(',').every((name) => names.includes(name)));
  formats.default(ajv, ['email', 'date-time']);
  ajv.addVocabulary(['x-document', 'x-rules']);
  addChecks(ajv);
  addClosedObjects(ajv);
  return ajv;
};
