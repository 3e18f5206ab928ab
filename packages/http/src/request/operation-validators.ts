import type { FieldErrors } from '@crm/domain';

/** Returns the errors of an input by dotted path, or `null` if it is valid. Never changes the input. */
export type Validator = (input: unknown) => FieldErrors | null;

/** The compiled validators of one operation; one is absent if the contract has no such input. */
export interface OperationValidators {
  readonly params?: Validator | undefined;
  readonly query?: Validator | undefined;
  readonly body?: Validator | undefined;
}
