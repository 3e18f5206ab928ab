import type { Static } from 'typebox';
import { instant, listOf, nullable, responseObject, text, uuid } from './build.js';
import { pageOf } from './pagination.js';

/** A stay of an opportunity in a stage. */
const StageVisit = responseObject('StageVisit', 'A stay of a deal in a stage.', {
  opportunity_id: uuid('Id of the opportunity.', 'opportunity'),
  stage_id: uuid('Id of the stage.', 'stage'),
  stage_name: nullable(text('Label of the stage; null if it was deleted since.', 'Qualified')),
  entered_at: instant('When the deal entered the stage.'),
  left_at: nullable(instant('When it left the stage; null for the stage that it is in.')),
  api_key_id: nullable(uuid('Id of the key whose request moved it into the stage; null if no request did.', 'apiKey')),
});

/** `data` of a page of stays. */
export const StageVisitPage = pageOf('StageVisitPage', 'A page of the stays of a deal in stages.', {
  stages: listOf(StageVisit, 'The stays of this page, oldest first.'),
  complete_from: instant('The stays since this time are complete: the creation of the deal.'),
});
export type StageVisitPage = Static<typeof StageVisitPage>;
