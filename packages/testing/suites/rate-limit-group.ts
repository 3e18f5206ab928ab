import type { OperationContract } from '@crm/contract';

/** The group of a key's limit for an operation. Deletions and changes of the setup count as other writes. */
export const rateLimitGroup = ({ group }: OperationContract): string =>
  group === 'delete' || group === 'setup' ? 'inbound' : group;
