import { createFieldOption as contract } from '@crm/contract';
import { fieldWire, updateFieldChange } from '@crm/db';
import { defineOperation } from '@crm/http';
import { orNotFound, runSetupChange } from '../change-setup.js';
import type { Context } from '../context.js';
import { findField, optionsOf, readOptions, withoutNull } from '../input/read-setup.js';

/** `POST /v1/inbound/fields/{id}/options` */
export const createFieldOption = defineOperation<Context, typeof contract>(
  contract,
  (context, { caller, params, body }) =>
    runSetupChange(context, caller, {
      changes: (setup) => {
        const field = orNotFound(findField(setup, params.id));
        const options = [...optionsOf(field), withoutNull(body)];
        return [updateFieldChange(field, { metadata: readOptions(field, options) }, field.metadata, body)];
      },
      answer: (setup) => ({
        message: 'Option added',
        data: { field: fieldWire(orNotFound(findField(setup, params.id))) },
      }),
    }),
);
