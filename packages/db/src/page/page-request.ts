import type { CursorPosition, FieldSelection, FilterNode, ObjectType, SortKey } from '@crm/domain';
import type { Catalog } from '../catalog.js';

/** A page to read. */
export interface PageRequest {
  /** For an order by labels the latest one, as `withLatestLabels` loads it. */
  readonly catalog: Catalog;
  readonly objectType: ObjectType;
  /** Null: all pipelines, or an object that has none. */
  readonly pipelineId: string | null;
  readonly stageId: string | null;
  /** Folded words that must all occur. */
  readonly words: readonly string[];
  readonly filters: FilterNode | null;
  readonly sort: readonly SortKey[];
  /** Where the page before ended: the sort keys of its last record as text. */
  readonly position: CursorPosition | null;
  readonly limit: number;
  readonly selection: FieldSelection;
}
