import type { WriteAnswer } from '../answer.js';
import { listOf, type Listing } from '../listing.js';
import type { CallOptions, ReadOptions } from '../options.js';
import type { PageQuery, RemoveMemberQuery } from '../queries.js';
import { pathOf, type Send } from '../transport.js';
import type { CreateMember, Deleted, Member, MemberDetail, MemberPage, UpdateMember } from '../types.js';
import { setupOf } from './setup.js';

/** The calls for members of the organization. Changes need the permission `setup`. */
export interface Members {
  /** Sorted by email, including former members. */
  list(query?: PageQuery, options?: ReadOptions): Listing<Member, MemberPage>;
  /** Adds a person, who can then own opportunities. */
  create(body: CreateMember, options?: CallOptions): Promise<WriteAnswer<MemberDetail>>;
  /** Absent properties stay; `is_active: true` makes a former member active again. */
  update(id: string, body: UpdateMember, options?: CallOptions): Promise<WriteAnswer<MemberDetail>>;
  /** Removes a person. If the person owns opportunities, the query says what happens to them. */
  delete(id: string, query?: RemoveMemberQuery, options?: CallOptions): Promise<WriteAnswer<Deleted>>;
}

const folder = '/v1/inbound/members';

/** Creates the calls for members. */
export const createMembers = (send: Send): Members => {
  const { create, update, remove } = setupOf(send);
  return {
    list: (query, options) => listOf(send, '/v1/members', 'members', query, options),
    create: (body, options) => create(folder, body, options),
    update: async (id, body, options) => update(pathOf(folder, id), body, options),
    delete: async (id, query, options) => remove(pathOf(folder, id), options, query),
  };
};
