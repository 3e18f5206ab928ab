import { Failure } from '@crm/domain';

/** What an error of a connection contains, and what it means. */
const advices: readonly (readonly [pattern: RegExp, text: string])[] = [
  [
    /unsupported startup parameter/,
    'A pooler refuses the settings of the connection: add ?pgbouncer=true to the address',
  ],
  [
    /^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_|CERT_|ERR_TLS_CERT_)/,
    'The certificate of the database is not trusted: sslmode=require checks it as verify-full does. Add sslrootcert=FILE with the ' +
      'certificate of its authority and use the host name in it, or use sslmode=no-verify to encrypt without this check',
  ],
  [
    /does not support SSL/,
    'The database has no TLS, which sslmode asks for: turn ssl on at the server, or use sslmode=disable',
  ],
];

/** What to change in the address of a database after a connection failed; null if the reason is another one. */
export const connectionAdvice = (error: unknown): string | null => {
  const cause = error instanceof Failure ? error.cause : error;
  if (!(cause instanceof Error)) return null;
  const texts = [cause.message, (cause as NodeJS.ErrnoException).code ?? ''];
  return advices.find(([pattern]) => texts.some((text) => pattern.test(text)))?.[1] ?? null;
};
