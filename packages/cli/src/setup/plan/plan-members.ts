import { matchEntries } from './match-entries.js';
import type { Member } from '@crm/client';

import type { YamlFile } from '../../yaml-file.js';
import type { FileMember } from '../setup-file.js';
import { type ListPlan, planArchives, planChanges } from './plan-list.js';
import { type PlanStep, restoredIf } from './plan-step.js';
import type { SetupSize } from './setup-size.js';

/** `ann.lee@acme.com` → `Ann Lee` */
export const nameFromEmail = (email: string): string => {
  const words = (email.split('@')[0] ?? '').split(/[^a-z0-9]+/i).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || email;
};

/** An address that no mail reaches, for members that exchange theirs. */
const temporaryEmail = (_email: string, nth: number): string => `renaming-${nth}@example.invalid`;

/** Plans the changes of members. */
export const planMembers = (
  source: YamlFile,
  stored: readonly Member[],
  entries: readonly FileMember[],
  size: SetupSize,
): readonly PlanStep[] => {
  const names = entries.map(({ email, was }) => ({ name: email, was }));
  const objects = stored.map(({ member_id: id, email }) => ({ id, name: email }));
  const fileList = { source, path: ['members'], key: 'email', noun: 'member' };
  const list: ListPlan<FileMember, Member> = {
    entries,
    stored,
    found: matchEntries(names, objects, fileList),
    ids: objects.map(({ id }) => id),
    nameKey: 'email',
    titleOf: ({ email }) => `the member ${email}`,
    nameOf: ({ email }) => email,
    valuesOf: ({ email, name, archived }) => ({ email, name, is_active: restoredIf(archived) }),
    update: (client, id, body) => client.members.update(id, body),
  };
  const additions = entries.flatMap((entry, index): readonly PlanStep[] => {
    const { email, name = nameFromEmail(email) } = entry;
    const object = stored[list.found[index] ?? -1];
    size.grow([email, entry.name ?? object?.name ?? name], [object?.email, object?.name]);
    if (object !== undefined) return [];
    size.add('members', ['members', index]);
    const run: PlanStep['run'] = async (client) => {
      const answer = await client.members.create({ email, name });
      list.ids[stored.length + index] = answer.data.member.member_id;
      return answer;
    };
    return [{ text: `add the member ${email}`, run }];
  });
  return [...planChanges(list, { nthName: temporaryEmail }), ...additions, ...planArchives(list)];
};
