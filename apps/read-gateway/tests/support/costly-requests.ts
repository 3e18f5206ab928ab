import type { ObjectType } from '@crm/domain';
import type { TestOrganization, TestRequest } from '@crm/testing';

/** An organization with the largest setup of one object, and its records. */
export interface LargestOrganization {
  readonly organization: TestOrganization;
  /** A record with 250 KB of custom fields. */
  readonly largestId: string;
  /** More records of the object. */
  readonly ids: readonly string[];
  /** The field with the most options. */
  readonly selectId: string;
  readonly webhookId: string;
  readonly noteId: string;
  /** Creates a record through the API. @returns the value under that key of its data */
  readonly create: (path: string, body: object, key: string) => Promise<string>;
}

/** A request to measure. */
export interface CostlyRequest {
  readonly what: string;
  /** The object whose organization has the largest setup; by default that of the path, else accounts. */
  readonly of?: ObjectType;
  /** 200 by default. */
  readonly status?: number;
  /** Makes the request, with a record to delete if it needs one. Called before each measurement. */
  readonly make: (organization: LargestOrganization) => TestRequest | Promise<TestRequest>;
}

/** The requests of each operation by its id. */
export type CostlyRequests = Readonly<Record<string, readonly CostlyRequest[]>>;

/** A request that is the same each time. */
export const same = (what: string, request: TestRequest, status = 200): CostlyRequest => ({
  what,
  status,
  make: () => request,
});

/** The numbers from 0 to `count - 1`. */
export const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
