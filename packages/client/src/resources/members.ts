import type { WriteAnswer } from '../answer.js';
import { listOf, type Listing } from '../listing.js';
import type { CallOptions, ReadOptions } from '../options.js';
import { pathOf, type Send } from '../transport.js';
import type * as types from '../types.js';
import { setupOf } from './setup.js';

/** The calls for members of the organization. Changes need the permission `setup`. */
export interface Members {
  /** Sorted by email, including former members. */
  list(query?: types.PageQuery, options?: ReadOptions): Listing<types.Member, types.MemberPage>;
  /** Adds a person, who can then own opportunities. */
  create(body: types.CreateMember, options?: CallOptions): Promise<WriteAnswer<types.MemberDetail>>;
  /** Absent properties stay; `is_active: true` makes a former member active again. */
  update(id: string, body: types.UpdateMember, options?: CallOptions): Promise<WriteAnswer<types.MemberDetail>>;
  /** Removes a person. If the person owns opportunities, the query says what happens to them. */
  delete(id: string, query?: types.RemoveMemberQuery, options?: CallOptions): Promise<WriteAnswer<types.Deleted>>;
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
