import { apiKeyAdministration } from './administration/api-keys.js';
import { fieldAdministration } from './administration/fields.js';
import { organizationAdministration } from './administration/organizations.js';
import { pipelineAdministration } from './administration/pipelines.js';
import type { Database } from './database.js';

/** Everything that an operator sets up; every change is one transaction. */
export const administration = (database: Database) => ({
  ...organizationAdministration(database),
  ...apiKeyAdministration(database),
  ...pipelineAdministration(database),
  ...fieldAdministration(database),
});

/** See {@link administration}. */
export type Administration = ReturnType<typeof administration>;
