import { randomUUID } from 'node:crypto';
import {
  addMemberChange,
  administration,
  type AdministrationDatabase,
  changeSetup,
  createPipelineChanges,
  defineFieldChange,
  type FieldSettingsChange,
  loadSetup,
  moveOpportunities,
  type NewField,
  type NewStage,
  opportunitiesToMove,
  type OpportunityMove,
  type Pipeline,
  refreshRecords,
  type SetupChange,
  updateFieldChange,
} from '@crm/db';
import { generateApiKey, hashApiKey, type ObjectType } from '@crm/domain';

interface OfOrganization {
  readonly organizationId: string;
}

type FieldChange = OfOrganization & FieldSettingsChange & { readonly objectType: ObjectType; readonly slug: string };

const origin = { actor: 'test', osUser: null, commandId: randomUUID() };

/** Functions that set up organizations without a gateway, for tests whose subject is not the setup. */
export const setupTools = (opened: Pick<AdministrationDatabase, 'url'>) => {
  // The tests of db open the database with its source, whose class is another one.
  const database = opened as AdministrationDatabase;
  const change = async (organizationId: string, changes: readonly SetupChange[]): Promise<void> => {
    const { outdatedAt } = await changeSetup(database, organizationId, changes, origin);
    if (outdatedAt !== null) await refreshRecords(database, organizationId, outdatedAt);
  };
  return {
    ...administration(database),
    changeSetup: change,
    newKey: () => {
      const key = generateApiKey();
      return { key, hash: new Uint8Array(hashApiKey(key)) };
    },
    createPipeline: async (
      input: OfOrganization & { readonly name: string; readonly stages: readonly NewStage[] },
    ): Promise<Pipeline> => {
      const { organizationId, name, stages } = input;
      const id = randomUUID();
      await change(organizationId, createPipelineChanges(id, { name }, stages));
      const created = (await loadSetup(database, organizationId)).findPipeline(id);
      if (created === undefined) throw new Error(`The pipeline ${id} is gone`);
      return created;
    },
    defineField: async ({ organizationId, ...field }: OfOrganization & NewField): Promise<{ id: string }> => {
      const id = randomUUID();
      await change(organizationId, [defineFieldChange(id, field)]);
      return { id };
    },
    updateField: async ({ organizationId, objectType, slug, ...values }: FieldChange): Promise<void> => {
      const { fields } = await loadSetup(database, organizationId);
      const field = fields.find((one) => one.objectType === objectType && one.slug === slug);
      if (field === undefined) throw new Error(`The ${objectType} has no custom field ${slug}`);
      await change(organizationId, [updateFieldChange(field, values)]);
    },
    addMember: async (
      input: OfOrganization & { readonly email: string; readonly name: string },
    ): Promise<{ id: string }> => {
      const { organizationId, email, name } = input;
      const id = randomUUID();
      await change(organizationId, [addMemberChange(id, { email, name })]);
      return { id };
    },
    /** Moves all opportunities that the move names now. @returns how many */
    moveOpportunities: async (organizationId: string, move: OpportunityMove): Promise<number> => {
      const ids = await opportunitiesToMove(database, organizationId, move);
      await moveOpportunities(database, organizationId, move, ids);
      return ids.length;
    },
  };
};
