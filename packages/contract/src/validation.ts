import type { FieldErrors } from '@crm/domain';
import { Type, type TSchema } from 'typebox';
import type { OperationContract } from './operation.js';
import { ErrorBody, Message, Success } from './schemas/envelope.js';
import { closed } from './schemas/input.js';
import { createAjv } from './validate/ajv.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { checkBriefly } from './validate/checks.js';
import { boundUnknown } from './validate/closed-objects.js';
import { reportedAt, toFieldErrors, type Location } from './validate/field-errors.js';
import { closeObjects, guardOversize, type JsonSchema, mapSubschemas } from './validate/schema-walk.js';

/** Checks one part of a request without changing it. Returns the field errors, or null if there are none. */
export type Validator = (input: unknown) => FieldErrors | null;

/** The validators of one operation. `query` is always present: an operation without parameters refuses all of them. */
export interface OperationValidators {
  readonly params?: Validator;
  readonly query: Validator;
  readonly body?: Validator;
  /** One item of a bulk body. Paths are within the item; an error of the whole item has the empty path. */
  readonly item?: Validator;
}

const ajv = createAjv();
const noParameters = closed({}, {});

/** TypeBox schemas are plain JSON Schema at run time. */
const plain = (schema: TSchema): JsonSchema => schema as JsonSchema;

/** The same schema without the rules of `domain`. */
const withoutChecks = ({ 'x-check': _check, ...schema }: JsonSchema): JsonSchema =>
  mapSubschemas(schema, withoutChecks);

/**
 * Values are checked once. The rules of `domain` are left to the handlers, which read every value by them and report their
 * errors together with those that depend on the organization's setup. Only for input that its schema refuses anyway, the
 * rules are checked here, so that an invalid email and an invalid UUID are reported together.
 */
const compile = (schema: JsonSchema, location: Location, isComplete = false): Validator => {
  const check = ajv.compile(isComplete ? schema : withoutChecks(schema));
  let checkAll: ValidateFunction | undefined;
  return (input) => {
    if (check(input)) return null;
    const complete = (checkAll ??= ajv.compile(schema));
    if (isComplete) complete(input);
    else checkBriefly(() => complete(input));
    return toFieldErrors(complete.errors ?? [], input, schema, location);
  };
};

/** Compiles the check of a file with the texts of the API. No handler follows, so the rules of `domain` are errors too. */
export const compileFile = (schema: TSchema): Validator => compile(plain(schema), 'body', true);

const compileInput = (schema: TSchema, location: Location): Validator =>
  compile(boundUnknown(guardOversize(plain(schema)), reportedAt(location)), location);

/** Compiles the validators of an operation. Done at boot, because it takes milliseconds. @throws Error for a schema that is not strict */
export const compileOperation = (contract: OperationContract): OperationValidators => ({
  ...(contract.params === undefined ? {} : { params: compileInput(contract.params, 'params') }),
  query: compileInput(contract.query ?? noParameters, 'query'),
  ...(contract.body === undefined ? {} : { body: compileInput(contract.body, 'body') }),
  ...(contract.item === undefined ? {} : { item: compileInput(contract.item, 'item') }),
});

/** The schema of an operation's success response: the envelope with its `data` and further properties. */
export const successBody = (contract: OperationContract) =>
  Type.Object({ success: Success, message: Message, data: contract.data, ...contract.extra });

/**
 * Compiles the check of a whole response, for tests: the success envelope or the error envelope, depending on `success`. It is stricter
 * than the document: a property that the contract does not describe is an error too.
 */
export const compileResponseValidator = (contract: OperationContract): Validator => {
  const success = compile(closeObjects(plain(successBody(contract))), 'body');
  const error = compile(closeObjects(plain(ErrorBody)), 'body');
  return (input) => ((input as { success?: unknown } | null)?.success === false ? error(input) : success(input));
};
