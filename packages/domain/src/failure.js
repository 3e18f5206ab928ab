/** An error of a layer below HTTP. */
export class Failure extends Error {
    reason;
    constructor(reason, { message, cause } = {}) {
        super(message ?? reason.kind, { cause });
        this.reason = reason;
        this.name = 'Failure';
    }
}
/** Whether an error is a failure of one kind. */
export const isFailure = (error, kind) => error instanceof Failure && error.reason.kind === kind;
//# sourceMappingURL=failure.js.map