import postgres from 'postgres';

/** What the server says in an error, besides its message. */
export interface ServerErrorFields {
  /** SQLSTATE. */
  readonly code: string;
  /** `ERROR`, `FATAL` or `PANIC`, in English whatever the server's language. */
  readonly severity: string;
  readonly detail?: string | undefined;
  /** Call stack of the server, innermost first: the statement's part or the function that failed. */
  readonly where?: string | undefined;
}

/** An error that the server reported. Unlike the driver's own it holds no statement and no parameters, so it can be logged. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly code: string;
  readonly severity: string;
  /** `''` if the server sent none. */
  readonly detail: string;
  /** As {@link ServerErrorFields.where}; `''` outside of functions. */
  readonly where: string;

  constructor(message: string, { code, severity, detail = '', where = '' }: ServerErrorFields) {
    super(message);
    this.code = code;
    this.severity = severity;
    this.detail = detail;
    this.where = where;
  }
}

/** Replaces an error that came through the driver, which adds the statement and its parameters to each. */
export const withoutStatement = (error: unknown): Error => {
  if (error instanceof postgres.PostgresError) return new ServerError(error.message, error);
  return new Error(error instanceof Error ? error.message : String(error));
};
