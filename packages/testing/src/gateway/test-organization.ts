import type { CustomFieldDefinition } from '@crm/contract';

/** The properties of a stage or pipeline that tests use. */
interface TestPipeline {
  readonly id: string;
  readonly name: string;
  readonly stages: readonly { readonly id: string; readonly label: string }[];
}

/** A custom field to define. */
export interface TestField {
  readonly objectType: 'opportunity' | 'account' | 'contact';
  readonly slug: string;
  readonly attributeType: CustomFieldDefinition['attribute_type'];
  readonly name?: string;
  readonly metadata?: {
    readonly options?: readonly { label: string; value: string; color: string; archived?: boolean }[];
    readonly currency?: string;
    readonly max?: number;
  };
  readonly isHidden?: boolean;
  /** By default every pipeline. */
  readonly pipelineIds?: readonly string[];
}

/** The properties of a key. By default it may do everything and never expires. */
export interface TestKeyOptions {
  readonly allow?: readonly string[];
  readonly limits?: Readonly<Record<string, number>>;
  readonly expiresAt?: Date;
}

/** An organization with two pipelines, a member and a key that may do everything. */
export interface TestOrganization {
  readonly id: string;
  /** Stages `New`, `Qualified` (the default one), `Won`. */
  readonly pipeline: TestPipeline;
  /** Stages `Open`, `Closed`, neither of them the default. */
  readonly otherPipeline: TestPipeline;
  readonly member: { readonly id: string; readonly email: string };
  readonly key: string;
  createKey(options?: TestKeyOptions): Promise<{ readonly id: string; readonly key: string }>;
  revokeKey(keyId: string): Promise<void>;
  /** A well-formed key that does not exist. */
  newUnknownKey(): string;
  defineField(field: TestField): Promise<void>;
}
