import type { ObjectType } from '@crm/domain';

/** Where in its order a page lies. */
export type Place = 'first' | 'middle' | 'last';

/** A question that a page answers, in the words of the API. */
export interface Shape {
  /** What is asked, as the table shows it. */
  readonly name: string;
  readonly objectType: ObjectType;
  /** Absent: the large organization's first pipeline; null: all of its pipelines. */
  readonly pipelineId?: string | null;
  readonly stageId?: string;
  readonly filters?: unknown;
  readonly words?: string;
  /** Absent: the order of lists, `created_at:desc`. */
  readonly sort?: string;
  readonly place?: Place;
  /** The most statements that reading the page may take. */
  readonly statements: number;
  /**
   * The most shared buffers that a page of {@link pageLimit} may read, whatever the number of deals. Absent where there is no
   * such bound, as the remark says.
   */
  readonly maxBuffers?: number;
  /** What the cost depends on, where it is not that of a page alone. */
  readonly remark?: string;
}

/** Records of a page. */
export const pageLimit = 50;
