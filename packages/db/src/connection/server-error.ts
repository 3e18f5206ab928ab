import postgres from 'postgres';

/** Fields of a server error besides its message. */
export interface ServerErrorFields {
  /** SQLSTATE. */
  readonly code: string;
  /** `ERROR`, `FATAL` or `PANIC`, in English whatever the server's language. */
  readonly severity: string;
  readonly detail?: string | undefined;
}

/** An error that the server reported. Unlike the driver's error, it contains neither statement nor parameters, so it can be logged. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly code: string;
  readonly severity: string;
  /** `''` if the server sent none. */
  readonly detail: string;

  constructor(message: string, { code, severity, detail = '' }: ServerErrorFields) {
    super(message);
    this.code = code;
    this.severity = severity;
    this.detail = detail;
  }
}

/** Replaces an error of the driver, because the driver adds the statement and its parameters to errors. */
export const withoutStatement = (error: unknown): Error => {
  if (error instanceof postgres.PostgresError) return new ServerError(error.message, error);
  return new Error(error instanceof Error ? error.message : String(error));
};
