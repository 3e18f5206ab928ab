import type { FieldErrors } from '@crm/domain';

/** Says what is wrong with an input, by dotted path, or `null` when it is valid. It never changes the input. */
export type Validator = (input: unknown) => FieldErrors | null;

/** The compiled validators of one operation; one is absent where the contract has no such input. */
export interface OperationValidators {
  readonly params?: Validator | undefined;
  readonly query?: Validator | undefined;
  readonly body?: Validator | undefined;
}
