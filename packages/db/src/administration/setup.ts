import { randomUUID } from 'node:crypto';
import { Failure, type FailureReason, isFailure, type ObjectType } from '@crm/domain';
import { loadSetup, type Pipeline } from '../organization-setup.js';
import type { AdministrationDatabase } from '../administration-database.js';
import { conflict, notFound } from '../errors.js';
import { changeSetup, type ChangedSetup } from '../setup/change-setup.js';
import { moveOpportunities, opportunitiesToMove, type OpportunityMove } from '../setup/move-opportunities.js';
import { refreshRecords } from '../setup/refresh-records.js';
import {
  addMemberChange,
  createPipelineChanges,
  defineFieldChange,
  type FieldSettingsChange,
  type NewField,
  type NewStage,
  type SetupChange,
  updateFieldChange,
} from '../setup/setup-change.js';
import type { AuditOrigin } from './audit.js';

/** The organization of a change. */
export interface OfOrganization {
  readonly organizationId: string;
}

/** A change of a custom field. */
export type FieldChange = OfOrganization &
  FieldSettingsChange & { readonly objectType: ObjectType; readonly slug: string };

/** The message for a conflict; null for other failures. */
const explain = (reason: FailureReason): string | null => {
  switch (reason.kind) {
    case 'key_taken':
      return `Another ${reason.object} has this ${reason.field}: ${reason.existingId}`;
    case 'setup_in_use':
      return `The ${reason.object} still has opportunities`;
    case 'last_stage':
      return 'A pipeline needs at least one stage that is not archived';
    case 'default_stage_archived':
      return 'An archived stage cannot be the default one';
    case 'setup_changed':
      return 'The field was changed meanwhile. Try again';
    default:
      return null;
  }
};

/** Runs a change and converts its conflicts to failures with a message. @param taken - the message for `key_taken` */
const orConflict = async <T>(work: () => Promise<T>, taken?: string): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const text = error instanceof Failure ? explain(error.reason) : null;
    if (text === null) throw error;
    throw conflict(isFailure(error, 'key_taken') ? (taken ?? text) : text, error);
  }
};

type Change = (organizationId: string, changes: readonly SetupChange[]) => Promise<ChangedSetup>;

const fieldAdministration = (database: AdministrationDatabase, change: Change) => ({
  /** @throws Failure `not_found` for an unknown organization, `conflict` if the object already has a field with this slug */
  defineField: async ({ organizationId, ...field }: OfOrganization & NewField): Promise<{ id: string }> => {
    const id = randomUUID();
    const taken = `The ${field.objectType} has a custom field ${field.slug} already`;
    await orConflict(() => change(organizationId, [defineFieldChange(id, field)]), taken);
    return { id };
  },

  /**
   * Changes a field. If a field of opportunities is hidden, shown, archived or restored, this also rebuilds their stored records.
   * @throws Failure `not_found` if the object has no field with this slug
   */
  updateField: async (
    { organizationId, objectType, slug, ...values }: FieldChange,
    onProgress?: (done: number) => void,
  ): Promise<void> => {
    const field = await database.prisma.customField.findFirst({ where: { organizationId, objectType, slug } });
    if (field === null) throw notFound(`The ${objectType} has no custom field ${slug}`);
    const changes = [updateFieldChange({ id: field.id, objectType, slug }, values)];
    const { outdatedAt } = await orConflict(() => change(organizationId, changes));
    if (outdatedAt !== null) await refreshRecords(database, organizationId, outdatedAt, onProgress);
  },
});

/** Administration of pipelines, stages, custom fields and members. It uses the SQL function `change_setup`, as the API does. */
export const setupAdministration = (database: AdministrationDatabase, origin: AuditOrigin) => {
  const change: Change = async (organizationId, changes) => {
    try {
      return await changeSetup(database, organizationId, changes, origin);
    } catch (error) {
      const [row] = isFailure(error, 'not_found')
        ? await database.prisma.organization.findMany({ where: { id: organizationId } })
        : [undefined];
      if (!isFailure(error, 'not_found') || row !== undefined) throw error;
      throw notFound(`There is no organization ${organizationId}`);
    }
  };

  return {
    /**
     * Changes the setup in one transaction, and then rebuilds the stored records that the changes made outdated.
     * @throws Failure `not_found` for an unknown organization, `conflict` with the reason
     */
    changeSetup: async (
      organizationId: string,
      changes: readonly SetupChange[],
      onProgress?: (done: number) => void,
    ): Promise<void> => {
      const { outdatedAt } = await orConflict(() => change(organizationId, changes));
      if (outdatedAt !== null) await refreshRecords(database, organizationId, outdatedAt, onProgress);
    },

    /** Moves all opportunities that the move names now; see {@link moveOpportunities}. @returns how many */
    moveOpportunities: async (
      organizationId: string,
      move: OpportunityMove,
      onProgress?: (done: number) => void,
    ): Promise<number> => {
      const ids = await opportunitiesToMove(database, organizationId, move);
      await moveOpportunities(database, organizationId, move, ids, onProgress);
      return ids.length;
    },

    /** @throws Failure `not_found` for an unknown organization, `conflict` for a duplicate name or label */
    createPipeline: async (
      input: OfOrganization & { readonly name: string; readonly stages: readonly NewStage[] },
    ): Promise<Pipeline> => {
      const { organizationId, name, stages } = input;
      const id = randomUUID();
      const taken = `The pipeline ${name} exists already, or two of its stages have one label`;
      await orConflict(() => change(organizationId, createPipelineChanges(id, { name }, stages)), taken);
      const created = (await loadSetup(database, organizationId)).findPipeline(id);
      if (created === undefined) throw notFound(`The pipeline ${id} is gone`);
      return created;
    },

    ...fieldAdministration(database, change),

    /** @throws Failure `not_found` for an unknown organization, `conflict` if a member has this email already */
    addMember: async (
      input: OfOrganization & { readonly email: string; readonly name: string },
    ): Promise<{ id: string }> => {
      const { organizationId, email, name } = input;
      const id = randomUUID();
      const changes = [addMemberChange(id, { email, name })];
      await orConflict(() => change(organizationId, changes), `${email} is a member already`);
      return { id };
    },

    /** All members of an organization by email, including former ones. */
    listMembers: async (organizationId: string) => (await loadSetup(database, organizationId)).members,
  };
};
