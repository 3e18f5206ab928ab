import type { WriteAnswer } from '../answer.js';
import type { CallOptions } from '../options.js';
import { pathOf, type Send } from '../transport.js';
import type { CreateField, CreateOption, Deleted, FieldDetail, UpdateField, UpdateOption } from '../types.js';
import { setupOf } from './setup.js';

/**
 * The calls for definitions of custom fields, of any object. The key needs the permission `setup`.
 * `crm.opportunities.fields`, `crm.accounts.fields` and `crm.contacts.fields` list them.
 */
export interface Fields {
  /** Defines a custom field of the object that the body names. */
  create(body: CreateField, options?: CallOptions): Promise<WriteAnswer<FieldDetail>>;
  /** Absent properties stay; `is_active: false` archives, `true` restores. */
  update(id: string, body: UpdateField, options?: CallOptions): Promise<WriteAnswer<FieldDetail>>;
  /** Deletes a field that no record has a value of. */
  delete(id: string, options?: CallOptions): Promise<WriteAnswer<Deleted>>;
  /** Adds an option to a select, radio or multi_select field. */
  createOption(fieldId: string, body: CreateOption, options?: CallOptions): Promise<WriteAnswer<FieldDetail>>;
  /** Changes the option that has the `value` of the body; `is_active: false` archives it. */
  updateOption(fieldId: string, body: UpdateOption, options?: CallOptions): Promise<WriteAnswer<FieldDetail>>;
}

const folder = '/v1/inbound/fields';

/** Creates the calls for custom fields. */
export const createFields = (send: Send): Fields => {
  const { create, update, remove } = setupOf(send);
  return {
    create: (body, options) => create(folder, body, options),
    update: async (id, body, options) => update(pathOf(folder, id), body, options),
    delete: async (id, options) => remove(pathOf(folder, id), options),
    createOption: async (fieldId, body, options) => create(`${pathOf(folder, fieldId)}/options`, body, options),
    updateOption: async (fieldId, body, options) => update(`${pathOf(folder, fieldId)}/options`, body, options),
  };
};
