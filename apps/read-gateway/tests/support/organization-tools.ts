import { administration, type AdministrationDatabase } from '@crm/db';
import { generateApiKey, hashApiKey } from '@crm/domain';
import type { OrganizationTools } from '@crm/testing';

/** Sets up organizations with the administration that operators use. */
export const organizationTools = (database: AdministrationDatabase): OrganizationTools => ({
  ...administration(database),
  newKey: () => {
    const key = generateApiKey();
    return { key, hash: new Uint8Array(hashApiKey(key)) };
  },
});
