import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';

import type { AuditOrigin } from '@crm/db';

import type { CliContext } from '../cli-context.js';

/** The option of every command that changes something. */
export interface ActorOption {
  readonly actor?: string;
}

/** Containers run as users that no list of users has. */
const osUserName = (): string | null => {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
};

/** Who runs this command: `--actor`, then `CRM_ACTOR`, then the user of the operating system, who is noted besides. */
export const auditOrigin = (context: CliContext, option: ActorOption): AuditOrigin => {
  const osUser = osUserName();
  const named = [option.actor, context.env['CRM_ACTOR']].find((name) => name !== undefined && name.trim() !== '');
  return { actor: named?.trim() ?? osUser ?? 'unknown', osUser, commandId: randomUUID() };
};
