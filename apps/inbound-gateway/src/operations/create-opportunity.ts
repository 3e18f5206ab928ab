import { type BodyOf, createOpportunity as contract } from '@crm/contract';
import { createOpportunity as insertOpportunity, type NewOpportunity, type StoredRow } from '@crm/db';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { readOpportunity } from '../input/read-opportunity.js';
import { keptValueWarnings, type Warning, warningsExtra } from '../warnings.js';

/** Contacts are brought up to date by a repeat; everything else keeps its stored value. */
const repeatWarnings = (body: BodyOf<typeof contract>, sent: NewOpportunity, stored: StoredRow): readonly Warning[] => {
  // A stage that was not sent is a default of creation, not a wish of the repeat.
  const stageId = (body.opportunity.stage_id ?? null) === null ? null : sent.stageId;
  const columns = [
    { field: 'opportunity.stage_id', column: 'stage_id', value: stageId },
    { field: 'opportunity.deal_size', column: 'amount', value: sent.amount },
    { field: 'opportunity.close_date', column: 'close_date', value: sent.closeDateMs },
    { field: 'opportunity.next_action_date', column: 'next_action_date', value: sent.nextActionDateMs },
    { field: 'opportunity.next_step', column: 'next_step', value: sent.nextStep },
    { field: 'related_objects.owner_email', column: 'owner_id', value: sent.ownerId },
  ];
  return keptValueWarnings(stored, columns, sent, 'opportunity.');
};

/** `POST /v1/inbound/opportunities`: a deal with its account and contacts, all of it or nothing. */
export const createOpportunity = defineOperation<Context, typeof contract>(contract, (context, { caller, body }) =>
  context.catalogs.use(caller.organizationId, async (catalog) => {
    const opportunity = readOpportunity(catalog, body);
    const { id, name, amount, recordStatus, stored } = await insertOpportunity(context.database, catalog, opportunity);
    return {
      message: recordStatus === 'created' ? 'Opportunity created' : 'Opportunity exists already',
      data: { opportunity_id: id, name, amount },
      extra: { statusCode: 200, ...warningsExtra(repeatWarnings(body, opportunity, stored)) },
      headers: { 'X-Record-Status': recordStatus },
    };
  }),
);
