import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { addChecks } from './checks.js';
import { addClosedObjects } from './closed-objects.js';

/** The 36 character form only: the usual format also takes a `urn:uuid:` prefix, which PostgreSQL does not. */
const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * A strict ajv that reports every error, coerces nothing and changes nothing. `x-document` holds what the OpenAPI
 * document shows in place of a schema whose rules `domain` checks; validation ignores it.
 */
export const createAjv = (): Ajv2020 => {
  const ajv = new Ajv2020({ strict: true, allErrors: true, verbose: true, allowUnionTypes: true, ownProperties: true });
  ajv.addFormat('uuid', uuidPattern);
  formats.default(ajv, ['email', 'date-time']);
  ajv.addVocabulary(['x-document']);
  addChecks(ajv);
  addClosedObjects(ajv);
  return ajv;
};
