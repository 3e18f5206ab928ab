import type { CursorPosition, FieldSelection, FilterNode, ObjectType, SortKey } from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';

/** A page to read. */
export interface PageRequest {
  /** The organization's setup. For an order by labels the latest one, as `withLatestLabels` loads it. */
  readonly setup: OrganizationSetup;
  readonly objectType: ObjectType;
  /** Null: all pipelines, or an object that has none. */
  readonly pipelineId: string | null;
  readonly stageId: string | null;
  /** Normalized words that must all occur. */
  readonly words: readonly string[];
  readonly filters: FilterNode | null;
  readonly sort: readonly SortKey[];
  /** Where the page before ended: the sort keys of its last record as text. */
  readonly position: CursorPosition | null;
  readonly limit: number;
  readonly selection: FieldSelection;
}

/** The most branches (values, pipelines or both) that one statement merges. */
export const maxBranches = 200;

/**
 * Whether a page of opportunities names no pipeline and is merged from its pipelines. The indexes of opportunities start with the
 * pipeline. Beyond {@link maxBranches} pipelines the planner decides.
 */
export const isReadByPipeline = ({ setup, objectType, pipelineId }: PageRequest): boolean =>
  pipelineId === null &&
  objectType === 'opportunity' &&
  setup.pipelines.length > 0 &&
  setup.pipelines.length <= maxBranches;
