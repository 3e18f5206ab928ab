import type { CursorPosition, FieldSelection, FilterNode, ObjectType, SortKey } from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';

/** A page to read. */
export interface PageRequest {
  /** The organization's setup. A sort by labels needs the latest one, which `withLatestLabels` loads. */
  readonly setup: OrganizationSetup;
  readonly objectType: ObjectType;
  /** Null for all pipelines, and for objects without pipelines. */
  readonly pipelineId: string | null;
  readonly stageId: string | null;
  /** Normalized words that must all occur. */
  readonly words: readonly string[];
  readonly filters: FilterNode | null;
  readonly sort: readonly SortKey[];
  /** The end of the previous page: the sort keys of its last record as text. */
  readonly position: CursorPosition | null;
  readonly limit: number;
  readonly selection: FieldSelection;
}

/** The most branches (values, pipelines or both) that one statement merges. */
export const maxBranches = 200;

/**
 * Whether a page of opportunities is merged from a page of each pipeline: if the request names no pipeline, because the indexes of
 * opportunities start with the pipeline. With more than {@link maxBranches} pipelines, the planner chooses how to read.
 */
export const isReadByPipeline = ({ setup, objectType, pipelineId }: PageRequest): boolean =>
  pipelineId === null &&
  objectType === 'opportunity' &&
  setup.pipelines.length > 0 &&
  setup.pipelines.length <= maxBranches;
