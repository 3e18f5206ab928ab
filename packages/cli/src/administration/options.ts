import { InvalidArgumentError, type Command } from 'commander';

import { withJson, type OutputOptions } from '../options.js';
import type { ActorOption } from './audit-origin.js';
import type { DatabaseUrlOption } from './database-url.js';

/** Options of every administrative command. */
export interface AdministrationOptions extends OutputOptions, DatabaseUrlOption, ActorOption {}

/** Options of every administrative command for one organization. */
export interface OrganizationOptions extends AdministrationOptions {
  readonly org: string;
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads an option that is an id. */
export const uuid = (text: string): string => {
  if (uuidPattern.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('Must be an id such as 01890000-0000-7000-8000-000000000001.');
};

/** Reads an option with several ids. */
export const uuids = (text: string, before: readonly string[] = []): readonly string[] => [...before, uuid(text)];

/** Adds `--database-url`, `--actor` and `--json`. */
export const withAdministrationOptions = (command: Command): Command =>
  withJson(
    command
      .option('--database-url <url>', 'PostgreSQL address (default: DATABASE_URL, or the local stack)')
      .option('--actor <name>', 'who runs the command, for crm audit (default: CRM_ACTOR, or your user name)'),
  );

/** Adds `--org` and the options of {@link withAdministrationOptions}. */
export const withOrganizationOptions = (command: Command): Command =>
  withAdministrationOptions(command.requiredOption('--org <id>', 'the organization (see: crm org list)', uuid));
