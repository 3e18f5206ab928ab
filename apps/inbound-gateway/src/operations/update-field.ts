import { updateField as contract } from '@crm/contract';
import { fieldWire, updateFieldChange } from '@crm/db';
import { defineOperation } from '@crm/http';
import { orNotFound, requireChange, runSetupChange } from '../change-setup.js';
import type { Context } from '../context.js';
import { findField, readMetadata, readName } from '../input/read-setup.js';

/** `PATCH /v1/inbound/fields/{id}` */
export const updateField = defineOperation<Context, typeof contract>(contract, (context, { caller, params, body }) =>
  runSetupChange(context, caller, {
    changes: (setup) => {
      requireChange(body);
      const field = orNotFound(findField(setup, params.id));
      const { is_hidden: isHidden, is_active: isActive, position } = body;
      const given = { currency: body.currency ?? undefined, max: body.max ?? undefined };
      const isMetadata = given.currency !== undefined || given.max !== undefined;
      const metadata = isMetadata ? readMetadata(field.attributeType, given) : undefined;
      const change = { name: readName(body.name), metadata, isHidden, isActive, position };
      return [updateFieldChange(field, change, isMetadata ? field.metadata : undefined)];
    },
    answer: (setup) => ({
      message: 'Field updated',
      data: { field: fieldWire(orNotFound(findField(setup, params.id))) },
    }),
  }),
);
