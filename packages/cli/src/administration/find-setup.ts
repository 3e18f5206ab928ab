import type { OrganizationSetup, Member, Pipeline, SetupField, Stage } from '@crm/db';
import {
  normalizeEmail,
  normalizeName,
  parseColor,
  parseCurrencyCode,
  type ObjectType,
  type Result,
} from '@crm/domain';

import { CliError, usageError } from '../errors.js';

/** Finds the entry of a list with this id or name. */
const findNamed = <T extends { readonly id: string }>(
  list: readonly T[],
  text: string,
  nameOf: (one: T) => string,
): T | undefined => {
  const wanted = text.trim().normalize('NFC');
  return list.find((one) => one.id === wanted.toLowerCase()) ?? list.find((one) => nameOf(one) === wanted);
};

/** Finds a pipeline by id or name. @throws CliError if there is none */
export const requirePipeline = (setup: OrganizationSetup, text: string): Pipeline => {
  const found = findNamed(setup.pipelines, text, ({ name }) => name);
  if (found === undefined) throw new CliError(`There is no pipeline ${text}. See: crm pipeline list`);
  return found;
};

/** Finds a stage by id or label. @throws CliError if the pipeline has none */
export const requireStage = (pipeline: Pipeline, text: string): Stage => {
  const found = findNamed(pipeline.stages, text, ({ label }) => label);
  if (found === undefined) throw new CliError(`${pipeline.name} has no stage ${text}. See: crm pipeline list`);
  return found;
};

/** Finds a member or former member by id or email. @throws CliError if there is none */
export const requireMember = (setup: OrganizationSetup, text: string): Member => {
  const email = normalizeEmail(text);
  const found = setup.findMember(email.ok ? email.value.email : text.trim());
  if (found === undefined) throw new CliError(`${text} is not a member. See: crm member list`);
  return found;
};

/** Finds a custom field by slug, including archived ones. @throws CliError if the object has none */
export const requireField = (setup: OrganizationSetup, object: ObjectType, slug: string): SetupField => {
  const found = setup.fields.find((field) => field.objectType === object && field.slug === slug);
  if (found === undefined) throw new CliError(`The ${object} has no custom field ${slug}. See: crm field list`);
  return found;
};

const valid = <T>(option: string, result: Result<T>): T => {
  if (result.ok) return result.value;
  throw usageError(`${option}: ${result.message}.`);
};

/** Reads a name or label from the command line. @throws CliError (2) that names the option */
export const readName = (option: string, text: string): string => valid(option, normalizeName(text));
/** See {@link readName}. */
export const readColor = (option: string, text: string): string => valid(option, parseColor(text));
/** See {@link readName}. */
export const readCurrency = (option: string, text: string): string => valid(option, parseCurrencyCode(text));
