import { randomUUID } from 'node:crypto';
import * as contracts from '@crm/contract';
import { defineFieldChange, deleteFieldChange, fieldWire, type OrganizationSetup, updateFieldChange } from '@crm/db';
import { type SentOption, validationError } from '@crm/domain';
import type { Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { orNotFound, runSetupChange } from '../setup/change-setup.js';
import { findField, optionsOf, readMetadata, readName, readNewField, readOptions } from '../setup/read-setup.js';

/** The response with a field after its change. */
const fieldAnswer = (message: string, id: string) => (setup: OrganizationSetup) => ({
  message,
  data: { field: fieldWire(orNotFound(findField(setup, id))) },
});

/** `POST /v1/inbound/fields` */
const createField = operation(contracts.createField, (context, request) => {
  const { body } = request;
  const id = randomUUID();
  return runSetupChange(context, request, {
    changes: (setup) => [defineFieldChange(id, readNewField(setup, body))],
    answer: fieldAnswer('Field defined', id),
  });
});

/** `PATCH /v1/inbound/fields/{id}` */
const updateField = operation(contracts.updateField, (context, request) => {
  const { params, body } = request;
  return runSetupChange(context, request, {
    changes: (setup) => {
      const field = orNotFound(findField(setup, params.id));
      // The same visibility would outdate the stored records of all deals.
      const isHidden = body.is_hidden === field.isHidden ? undefined : body.is_hidden;
      const isActive = body.is_active === field.isActive ? undefined : body.is_active;
      const { currency = null, max = null } = body;
      const isMetadata = currency !== null || max !== null;
      const metadata = isMetadata ? readMetadata(field.attributeType, { currency, max }) : undefined;
      const name = readName(body.current_name, 'current_name');
      const change = { name, metadata, isHidden, isActive, position: body.position };
      const isNewCurrency = metadata?.currency !== undefined && metadata.currency !== field.metadata?.currency;
      return [
        updateFieldChange(field, change, {
          foundMetadata: isMetadata ? field.metadata : undefined,
          refusesValues: isNewCurrency && body.reinterpret_values !== true,
        }),
      ];
    },
    answer: fieldAnswer('Field updated', params.id),
  });
});

/** `DELETE /v1/inbound/fields/{id}` */
const deleteField = operation(contracts.deleteField, (context, request) => {
  const { params } = request;
  return runSetupChange(context, request, {
    changes: (setup) => [deleteFieldChange(orNotFound(findField(setup, params.id)))],
    answer: () => ({ message: 'Field deleted', data: { id: params.id.toLowerCase() } }),
  });
});

/** `POST /v1/inbound/fields/{id}/options` */
const createFieldOption = operation(contracts.createFieldOption, (context, request) => {
  const { params, body } = request;
  return runSetupChange(context, request, {
    changes: (setup) => {
      const field = orNotFound(findField(setup, params.id));
      const metadata = readOptions(field, [...optionsOf(field), body]);
      return [updateFieldChange(field, { metadata }, { foundMetadata: field.metadata, option: body })];
    },
    answer: fieldAnswer('Option added', params.id),
  });
});

/** `PATCH /v1/inbound/fields/{id}/options` */
const updateFieldOption = operation(contracts.updateFieldOption, (context, request) => {
  const { params, body } = request;
  return runSetupChange(context, request, {
    changes: (setup) => {
      const field = orNotFound(findField(setup, params.id));
      const { position, is_active: isActive, ...given } = body;
      const archived = isActive === undefined ? {} : { archived: !isActive };
      const current = optionsOf(field);
      const index = current.findIndex(({ value }) => value === body.value);
      const found = current[index];
      if (found === undefined) throw validationError({ value: 'is not an option of this field' });
      const others: readonly SentOption[] = current.toSpliced(index, 1);
      const place = position === undefined ? index : position - 1;
      const changed = { ...found, ...given, color: given.color ?? found.color, ...archived };
      const options = others.toSpliced(place, 0, changed);
      const metadata = readOptions(field, options);
      return [updateFieldChange(field, { metadata }, { foundMetadata: field.metadata, option: body })];
    },
    answer: fieldAnswer('Option updated', params.id),
  });
});

/** The writes of custom fields and their options. */
export const fieldOperations: readonly Operation<Context>[] = [
  createField,
  updateField,
  deleteField,
  createFieldOption,
  updateFieldOption,
];
