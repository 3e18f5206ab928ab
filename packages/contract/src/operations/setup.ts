import { operation } from '../operation.js';
import { Deleted } from '../schemas/deleted.js';
import type { exampleIds } from '../schemas/example-ids.js';
import { CreateMemberBody, MemberDetail, MemberPage, RemoveMemberQuery, UpdateMemberBody } from '../schemas/member.js';
import {
  CreateFieldBody,
  CreateOptionBody,
  CreatePipelineBody,
  CreateStageBody,
  FieldDetail,
  PipelineDetail,
  StageDetail,
  UpdateFieldBody,
  UpdateOptionBody,
  UpdatePipelineBody,
  UpdateStageBody,
} from '../schemas/setup-write.js';
import { idParams, PageQuery, writeHeaders } from './shared.js';

const createOf = { errors: [409], headers: writeHeaders };
const writeOf = (kind: keyof typeof exampleIds) => ({
  params: idParams(kind),
  errors: [404, 409],
  headers: writeHeaders,
});

/** `GET /v1/members` */
export const listMembers = operation(['listMembers', 'GET /v1/members', 'list', 'Members'], {
  summary: 'List members',
  description: 'Pages through the people of the organization, sorted by email, including former members.',
  query: PageQuery,
  data: MemberPage,
});

/** `POST /v1/inbound/pipelines` */
export const createPipeline = operation(['createPipeline', 'POST /v1/inbound/pipelines', 'setup', 'Pipelines'], {
  summary: 'Create a pipeline',
  description:
    'Creates a pipeline with its stages. New deals start in the default stage, or in the first one if there is ' +
    'no default.',
  body: CreatePipelineBody,
  data: PipelineDetail,
  ...createOf,
});

/** `PATCH /v1/inbound/pipelines/{id}` */
export const updatePipeline = operation(['updatePipeline', 'PATCH /v1/inbound/pipelines/{id}', 'setup', 'Pipelines'], {
  summary: 'Update a pipeline',
  description: 'Renames, moves, archives or restores a pipeline.',
  ...writeOf('pipeline'),
  body: UpdatePipelineBody,
  data: PipelineDetail,
});

/** `POST /v1/inbound/pipelines/{id}/stages` */
export const createStage = operation(['createStage', 'POST /v1/inbound/pipelines/{id}/stages', 'setup', 'Pipelines'], {
  summary: 'Add a stage',
  description: 'Adds a stage to a pipeline: at its position, or at the end.',
  ...writeOf('pipeline'),
  body: CreateStageBody,
  data: StageDetail,
});

/** `PATCH /v1/inbound/stages/{id}` */
export const updateStage = operation(['updateStage', 'PATCH /v1/inbound/stages/{id}', 'setup', 'Pipelines'], {
  summary: 'Update a stage',
  description:
    'Renames, moves, archives or restores a stage. To archive a stage with deals, send `move_opportunities_to`, ' +
    'which moves up to 10,000 deals.',
  ...writeOf('stage'),
  body: UpdateStageBody,
  data: StageDetail,
});

/** `DELETE /v1/inbound/stages/{id}` */
export const deleteStage = operation(['deleteStage', 'DELETE /v1/inbound/stages/{id}', 'setup', 'Pipelines'], {
  summary: 'Delete a stage',
  description: 'Deletes a stage without deals. A stage with deals is 409 with `counts.opportunities`.',
  ...writeOf('stage'),
  data: Deleted,
});

/** `POST /v1/inbound/fields` */
export const createField = operation(['createField', 'POST /v1/inbound/fields', 'setup', 'Fields'], {
  summary: 'Define a custom field',
  description: 'Defines a custom field of an object. Its slug, type and pipelines cannot change.',
  body: CreateFieldBody,
  data: FieldDetail,
  ...createOf,
});

/** `PATCH /v1/inbound/fields/{id}` */
export const updateField = operation(['updateField', 'PATCH /v1/inbound/fields/{id}', 'setup', 'Fields'], {
  summary: 'Update a custom field',
  description: 'Renames, moves, hides, shows, archives or restores a custom field.',
  ...writeOf('field'),
  body: UpdateFieldBody,
  data: FieldDetail,
});

/** `DELETE /v1/inbound/fields/{id}` */
export const deleteField = operation(['deleteField', 'DELETE /v1/inbound/fields/{id}', 'setup', 'Fields'], {
  summary: 'Delete a custom field',
  description: 'Deletes a custom field that no record has a value of. A field with values is 409 with `counts`.',
  ...writeOf('field'),
  data: Deleted,
});

/** `POST /v1/inbound/fields/{id}/options` */
export const createFieldOption = operation(
  ['createFieldOption', 'POST /v1/inbound/fields/{id}/options', 'setup', 'Fields'],
  {
    summary: 'Add an option',
    description: 'Adds an option at the end of a select, radio or multi_select field.',
    ...writeOf('field'),
    body: CreateOptionBody,
    data: FieldDetail,
  },
);

/** `PATCH /v1/inbound/fields/{id}/options` */
export const updateFieldOption = operation(
  ['updateFieldOption', 'PATCH /v1/inbound/fields/{id}/options', 'setup', 'Fields'],
  {
    summary: 'Update an option',
    description: 'Renames, moves, archives or restores the option that has the `value`.',
    ...writeOf('field'),
    body: UpdateOptionBody,
    data: FieldDetail,
  },
);

/** `POST /v1/inbound/members` */
export const createMember = operation(['createMember', 'POST /v1/inbound/members', 'setup', 'Members'], {
  summary: 'Add a member',
  description: 'Adds a person, who can then own deals.',
  body: CreateMemberBody,
  data: MemberDetail,
  ...createOf,
});

/** `PATCH /v1/inbound/members/{id}` */
export const updateMember = operation(['updateMember', 'PATCH /v1/inbound/members/{id}', 'setup', 'Members'], {
  summary: 'Update a member',
  description: 'Changes the email or name of a person, or makes a former member a member again.',
  ...writeOf('member'),
  body: UpdateMemberBody,
  data: MemberDetail,
});

/** `DELETE /v1/inbound/members/{id}` */
export const deleteMember = operation(['deleteMember', 'DELETE /v1/inbound/members/{id}', 'setup', 'Members'], {
  summary: 'Remove a member',
  description:
    'Removes a person. For a person who owns deals, either `opportunities=keep` or `reassign_to` is required. ' +
    '`reassign_to` moves up to 10,000 deals.',
  ...writeOf('member'),
  query: RemoveMemberQuery,
  data: Deleted,
});
