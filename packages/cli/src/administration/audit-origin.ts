import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';

import type { AuditOrigin } from '@crm/db';

import type { CliContext } from '../cli-context.js';

/** The option that names who runs a command. */
export interface ActorOption {
  readonly actor?: string;
}

/** The operating system user. Null for a user id without an account, which is common in containers. */
const osUserName = (): string | null => {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
};

/**
 * Who runs this command: `--actor`, else `CRM_ACTOR`, else the operating system user. The operating system user is
 * always recorded too.
 */
export const auditOrigin = (context: CliContext, option: ActorOption): AuditOrigin => {
  const osUser = osUserName();
  const named = [option.actor, context.env['CRM_ACTOR']].find((name) => name !== undefined && name.trim() !== '');
  return { actor: named?.trim() ?? osUser ?? 'unknown', osUser, commandId: randomUUID() };
};
