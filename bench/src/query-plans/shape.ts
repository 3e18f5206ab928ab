import type { ObjectType } from '@crm/domain';

/** The place of a page in its order. */
export type Place = 'first' | 'middle' | 'last';

/** A request for a page, in the terms of the API. */
export interface Shape {
  /** The name of the request in the table. */
  readonly name: string;
  readonly objectType: ObjectType;
  /** Absent: the first pipeline of the large organization. Null: all of its pipelines. */
  readonly pipelineId?: string | null;
  readonly stageId?: string;
  readonly filters?: unknown;
  readonly words?: string;
  /** Absent: the default order of lists, `created_at:desc`. */
  readonly sort?: string;
  readonly place?: Place;
  /** The most statements that the page may take. */
  readonly statements: number;
  /**
   * The most shared buffers that a page of {@link pageLimit} may read, for any number of deals. Absent if there is no
   * limit; the remark then says why.
   */
  readonly maxBuffers?: number;
  /** What the cost depends on, if not only on the page. */
  readonly remark?: string;
}

/** Records of a page. */
export const pageLimit = 50;
