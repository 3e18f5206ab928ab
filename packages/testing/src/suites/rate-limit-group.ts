import type { OperationContract } from '@crm/contract';

/** The name under which a key's limit for an operation is set: deletions count as other writes do. */
export const rateLimitGroup = ({ group }: OperationContract): string =>
  group === 'delete' || group === 'setup' ? 'inbound' : group;
