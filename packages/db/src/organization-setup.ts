import {
  createFieldIndex,
  type CustomFieldDefinition,
  type FieldIndex,
  appliesToPipeline,
  KnownLabels,
  type ObjectType,
  type StageOutcome,
  stageOutcomes,
} from '@crm/domain';
import type { Queries } from './database.js';
import { notFound } from './errors.js';

/** A stage of a pipeline. */
export interface Stage {
  readonly id: string;
  readonly pipelineId: string;
  readonly label: string;
  readonly position: number;
  readonly color: string;
  readonly isActive: boolean;
  readonly isDefault: boolean;
  readonly probability: number | null;
  readonly outcome: StageOutcome;
}

/** A pipeline with its stages in order. */
export interface Pipeline {
  readonly id: string;
  readonly name: string;
  readonly position: number;
  /** False if archived. An archived pipeline keeps its opportunities and gets no new ones. */
  readonly isActive: boolean;
  /** RFC 3339, UTC. */
  readonly createdAt: string;
  readonly stages: readonly Stage[];
}

/** A member of the organization, current or former. */
export interface Member {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** False for a former member, who keeps opportunities and gets no new ones. */
  readonly isActive: boolean;
  /** RFC 3339, UTC. */
  readonly createdAt: string;
}

/** A custom field, which may be archived. */
export interface SetupField extends CustomFieldDefinition {
  readonly isActive: boolean;
  /** RFC 3339, UTC. */
  readonly createdAt: string;
}

interface SetupData {
  readonly version: string;
  readonly freemail: 'create' | 'skip';
  readonly currency: string | null;
  readonly pipelines: readonly Pipeline[];
  readonly members: readonly Member[];
  readonly fields: readonly SetupField[];
}

/** The setup of an organization: pipelines, members, custom fields and settings. Requests refer to it, and it seldom changes. */
export class OrganizationSetup {
  /** Replaced by each change. */
  readonly version: string;
  readonly freemail: 'create' | 'skip';
  /** The default currency of new opportunities. */
  readonly currency: string | null;
  readonly pipelines: readonly Pipeline[];
  /** All members, including former ones. */
  readonly members: readonly Member[];
  /** All custom fields, including archived ones. */
  readonly fields: readonly SetupField[];
  /** Every stage's label by its id. */
  readonly stageLabels: ReadonlyMap<string, string>;
  /** Every stage's outcome by its id. */
  readonly stageOutcomes: ReadonlyMap<string, StageOutcome>;
  /** Every stage's probability by its id. */
  readonly stageProbabilities: ReadonlyMap<string, number | null>;
  /** Every pipeline's name by its id. */
  readonly pipelineNames: ReadonlyMap<string, string>;
  /** Every member's email by their id. */
  readonly memberEmails: ReadonlyMap<string, string>;
  readonly #pipelinesById: ReadonlyMap<string, Pipeline>;
  readonly #members: ReadonlyMap<string, Member>;
  readonly #fieldIndexes = new Map<string, FieldIndex>();
  /** Only opportunities show labels of the setup. */
  readonly #labels: FieldIndex['labels'];

  constructor(
    readonly organizationId: string,
    data: SetupData,
  ) {
    this.version = data.version;
    this.freemail = data.freemail;
    this.currency = data.currency;
    this.pipelines = data.pipelines;
    this.members = data.members;
    this.fields = data.fields;
    const stages = data.pipelines.flatMap((pipeline) => pipeline.stages);
    this.stageLabels = new Map(stages.map(({ id, label }) => [id, label]));
    this.stageOutcomes = new Map(stages.map(({ id, outcome }) => [id, outcome]));
    this.stageProbabilities = new Map(stages.map(({ id, probability }) => [id, probability]));
    this.pipelineNames = new Map(data.pipelines.map(({ id, name }) => [id, name]));
    this.memberEmails = new Map(data.members.map(({ id, email }) => [id, email]));
    this.#labels = new Map([
      ['stage_name', new KnownLabels('a stage', this.stageLabels.values())],
      ['outcome', new KnownLabels('an outcome', stageOutcomes)],
      ['pipeline_name', new KnownLabels('a pipeline', this.pipelineNames.values())],
      ['owner_email', new KnownLabels('a member', this.memberEmails.values())],
    ]);
    this.#pipelinesById = new Map(data.pipelines.map((pipeline) => [pipeline.id, pipeline]));
    this.#members = new Map(
      data.members.flatMap((member) => [[member.id, member] as const, [member.email, member] as const]),
    );
  }

  /** The pipeline with this id, or undefined. Ids are compared in lower case. */
  findPipeline(id: string): Pipeline | undefined {
    return this.#pipelinesById.get(id.toLowerCase());
  }

  /** The stage with this id in any pipeline, or undefined. */
  findStage(id: string): Stage | undefined {
    const wanted = id.toLowerCase();
    return this.pipelines.flatMap(({ stages }) => stages).find((stage) => stage.id === wanted);
  }

  /** The member with this id or normalized email, or undefined. */
  findMember(idOrEmail: string): Member | undefined {
    return this.#members.get(idOrEmail.toLowerCase());
  }

  /** The custom fields of an object type in a pipeline. If the pipeline is null, the fields of every pipeline. */
  fieldIndex(objectType: ObjectType, pipelineId: string | null): FieldIndex {
    const key = `${objectType} ${pipelineId ?? ''}`;
    let fieldIndex = this.#fieldIndexes.get(key);
    if (fieldIndex === undefined) {
      const fields = this.fields.filter(
        (field) => field.objectType === objectType && appliesToPipeline(field, pipelineId),
      );
      fieldIndex = createFieldIndex(objectType, fields, objectType === 'opportunity' ? this.#labels : undefined, {
        findMemberId: (idOrEmail) => this.findMember(idOrEmail)?.id,
      });
      this.#fieldIndexes.set(key, fieldIndex);
    }
    return fieldIndex;
  }

  /**
   * The custom fields of an object type by slug that existed at a time (RFC 3339, UTC). Archived fields are included, because a restored
   * record has their values too.
   */
  fieldsAt(objectType: ObjectType, time: string): ReadonlyMap<string, SetupField> {
    const fields = this.fields.filter((field) => field.objectType === objectType && field.createdAt <= time);
    return new Map(fields.map((field) => [field.slug, field]));
  }
}

const setupSql = `
  SELECT CASE WHEN o.setup_version IS DISTINCT FROM $2::uuid THEN json_build_object(
    'version', o.setup_version, 'freemail', o.freemail, 'currency', o.currency,
    'pipelines', (SELECT coalesce(json_agg(json_build_object(
        'id', p.id, 'name', p.name, 'position', p.position, 'isActive', p.is_active,
        'createdAt', to_char(p.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'stages', (SELECT coalesce(json_agg(json_build_object(
            'id', s.id, 'pipelineId', s.pipeline_id, 'label', s.label, 'position', s.position, 'color', s.color,
            'isActive', s.is_active, 'isDefault', s.is_default, 'probability', s.probability, 'outcome', s.outcome) ORDER BY s.position, s.id), '[]')
          FROM stages s WHERE s.organization_id = $1 AND s.pipeline_id = p.id)
      ) ORDER BY p.position, p.id), '[]') FROM pipelines p WHERE p.organization_id = $1),
    'members', (SELECT coalesce(json_agg(json_build_object('id', m.id, 'email', m.email, 'name', m.name, 'isActive', m.is_active,
        'createdAt', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY m.email), '[]')
      FROM members m WHERE m.organization_id = $1),
    'fields', (SELECT coalesce(json_agg(json_build_object(
        'id', f.id, 'objectType', f.object_type, 'slug', f.slug, 'name', f.name, 'attributeType', f.attribute_type,
        'metadata', f.metadata, 'position', f.position, 'createdAt', to_char(f.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'isHidden', f.is_hidden, 'isActive', f.is_active, 'slot', f.slot,
        'pipelineIds', CASE WHEN f.all_pipelines THEN NULL ELSE (SELECT coalesce(json_agg(l.pipeline_id), '[]')
          FROM custom_field_pipelines l WHERE l.organization_id = $1 AND l.custom_field_id = f.id) END
      ) ORDER BY f.position, f.slug), '[]') FROM custom_fields f WHERE f.organization_id = $1)
  ) END AS setup
  FROM organizations o WHERE o.id = $1`;

/**
 * Reads the setup of an organization in one statement.
 * @param known - an earlier setup of the organization, which is returned if it is still current
 */
export const loadSetup = async (
  database: Queries,
  organizationId: string,
  known: OrganizationSetup | null = null,
): Promise<OrganizationSetup> => {
  const statement = { text: setupSql, values: [known?.version ?? null] };
  const [row] = await database.query<{ setup: SetupData | null }>(organizationId, statement);
  // A replica may not have a new organization yet.
  if (row === undefined) throw notFound(`There is no organization ${organizationId}`);
  if (row.setup !== null) return new OrganizationSetup(organizationId, row.setup);
  if (known === null) throw new Error('the setup was not read');
  return known;
};
