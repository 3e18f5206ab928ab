import { updateFieldOption as contract } from '@crm/contract';
import { fieldWire, updateFieldChange } from '@crm/db';
import { validationError } from '@crm/domain';
import { defineOperation } from '@crm/http';
import { orNotFound, runSetupChange } from '../change-setup.js';
import type { Context } from '../context.js';
import { findField, optionsOf, readOptions, withoutNull } from '../input/read-setup.js';

/** `PATCH /v1/inbound/fields/{id}/options` */
export const updateFieldOption = defineOperation<Context, typeof contract>(
  contract,
  (context, { caller, params, body }) =>
    runSetupChange(context, caller, {
      changes: (setup) => {
        const field = orNotFound(findField(setup, params.id));
        const { position, ...given } = body;
        const current = optionsOf(field);
        const index = current.findIndex(({ value }) => value === body.value);
        const found = current[index];
        if (found === undefined) throw validationError({ value: 'is not an option of this field' });
        const options: object[] = [...current];
        options.splice(index, 1);
        options.splice(position === undefined ? index : position - 1, 0, { ...found, ...withoutNull(given) });
        return [updateFieldChange(field, { metadata: readOptions(field, options) }, field.metadata, body)];
      },
      answer: (setup) => ({
        message: 'Option updated',
        data: { field: fieldWire(orNotFound(findField(setup, params.id))) },
      }),
    }),
);
