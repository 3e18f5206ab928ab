// Failures of Schemathesis that are no faults: rules that no JSON Schema can express, and a habit of the program.
import type { Exchange } from './fuzzing-report.js';

/** One kind of failure. */
interface KnownFailure {
  readonly check: 'positive_data_acceptance' | 'negative_data_rejection';
  /** The operations, as `GET /v1/accounts`. */
  readonly operation: RegExp;
  /** Each error of the response, as `email: must be …`, or `code: message` if it has none. */
  readonly error: RegExp;
  readonly reason: string;
  /** What the request must be in addition. */
  readonly when?: (exchange: Exchange) => boolean;
}

const any = /./;
const searches = /^POST .*\/(search|summary)$/;
const check = 'positive_data_acceptance';

/** The least that the pattern of `If-Match` in the document asks for. */
const ifMatch = /^[*]$|"/;

const blank = /^[\s\p{C}]*$/u;

const parametersOf = (uri: string): readonly string[] => [...new URL(uri).searchParams.values()];

/** All texts of a JSON body. */
const textsIn = (body: string): readonly string[] => {
  const texts: string[] = [];
  if (body !== '')
    JSON.parse(body, (_key, value: unknown) => {
      if (typeof value === 'string') texts.push(value);
      return value;
    });
  return texts;
};

const knownFailures: readonly KnownFailure[] = [
  // What is stored.
  {
    ...{ check, operation: any },
    error:
      /: (is not an? [\w ]+ of (this|any) \w+|is not the (id|external_id|current version|position) of |does not exist)/,
    reason: 'only existing records, stages, members, fields and versions can be named',
  },
  {
    ...{ check, operation: any },
    error: /: is not an option|\.x-schemathesis-additional: |: ".*" is not (an option|a member|a pipeline|a stage of)/,
    reason: 'the custom fields and their options, and the names of pipelines and stages, are stored',
  },
  {
    ...{ check, operation: any },
    error: /: is (already )?used by (another|the record|a record)|: is archived|the natural key is used/,
    reason: 'names, natural keys and labels are unique among stored data',
  },
  {
    ...{ check, operation: any },
    error: /^[\w.[\]]+: is required: no \w+ has this external_id/,
    reason: 'what a new record needs depends on whether the record is stored',
  },
  {
    ...{ check, operation: /\/fields\/\{id\}/ },
    error: /: does not apply to fields of the type|^id: is a field of the type \w+, which has no options/,
    reason: 'the type of the field is stored',
  },
  {
    ...{ check, operation: any },
    error: /^(fields|group_by\[\d+\]|measures\[\d+\]|sort\[\d+\]\.field|filters[\w.[\]]*\.field): unknown field/,
    reason: 'the fields depend on the organization',
  },
  {
    ...{ check, operation: /\/webhooks|\/events$/ },
    error: /^changed(\[\d+\])?: ".*" is (not a field of |never in changed: )/,
    reason: 'the fields depend on the organization, and on the objects and types of the same request',
  },
  {
    ...{ check, operation: any },
    error: /^cursor: is not a cursor of this request/,
    reason: 'a cursor is opaque, and belongs to one list',
  },
  {
    ...{ check, operation: any },
    error: /^idempotency_mismatch: /,
    reason: 'depends on earlier requests with this Idempotency-Key; 422 is in the document',
  },
  // Rules between values.
  {
    ...{ check, operation: searches },
    error: /^filters(\[\d+\]|\.and|\.or|\.not)*\.(value|operator)(\[\d+\])?: /,
    reason: 'which operators and values a filter takes depends on the type of the field, which can be a custom one',
  },
  {
    ...{ check, operation: searches },
    error: /^filters(\[\d+\]|\.and|\.or|\.not)*(\.and|\.or): must be a list of at least one node/,
    reason: 'the gateway alone checks the tree of a filter: its size, its depth and that it has nodes',
  },
  {
    ...{ check, operation: searches },
    error: /^(measures\[\d+\]: must be count, or one of|(sort|group_by)\[\d+\](\.field)?: must name a field)/,
    reason: 'these texts name fields, which depend on the organization',
  },
  {
    ...{ check, operation: searches },
    error: /^sort\[\d+\]\.field: cannot sort by /,
    reason: 'a summary is sorted by a measure or group of the same request, a search by fields of the organization',
  },
  {
    ...{ check, operation: searches },
    error: /^q: differs from query, which is the same parameter/,
    reason: 'a rule between the values of two properties',
  },
  {
    ...{ check, operation: /\/opportunities/ },
    error: /(^|\.)(stage|pipeline|amount|next_steps): differs from |^primary_contact\.email: is ".*", but /,
    reason: 'two names of one value, which must be equal',
  },
  {
    ...{ check, operation: any },
    error: /: is given twice/,
    reason: 'unique by one property of an item, or after spaces and case are removed',
  },
  {
    ...{ check, operation: /\/events$|\/(replay|skip)$/ },
    error: /^(from|to): must (be at most|not be less than)|^cursor: is before `after`/,
    reason: 'positions are those of the log, and two of them are in order',
  },
  {
    ...{ check, operation: /\/(stages|pipelines)/ },
    error: /^(stages\[\d+\]\.)?(is_default|is_active|move_opportunities_to): must /,
    reason: 'depends on the state of the stage, and on the other stages of the request',
  },
  {
    ...{ check, operation: /^DELETE \/v1\/inbound\/members\/\{id\}$/ },
    error: /^reassign_to: (must be absent with opportunities=keep|is the member to be removed)/,
    reason: 'a rule between the values of two parameters',
  },
  // Texts and numbers.
  {
    ...{ check, operation: any },
    error: /(^|[._])(domains?|emails?|website|url)(\[\d+\])?: (must|has) /,
    reason: 'hosts and addresses follow UTS-46, whose tables no pattern can hold',
  },
  {
    ...{ check, operation: any },
    error: /: (must not contain|is a name with) U[+]0000/,
    reason: 'this character, and half of a pair, are only the escapes of JSON or URLs',
  },
  {
    ...{ check, operation: any },
    error: /: ".*" is not a currency of ISO 4217|: looks like seconds, |: must be Unix milliseconds, RFC 3339/,
    reason: 'currencies come from a list that grows, and a date must exist and have a plausible unit',
  },
  {
    ...{ check, operation: any },
    error: /: must have at most \d+ (decimals|digits)/,
    reason: 'digits and decimals of a number have no keyword that holds for floating point',
  },
  {
    ...{ check, operation: any },
    error: /: has more digits than a number can hold/,
    reason: 'a schema sees the number, not its text',
  },
  {
    ...{ check: 'negative_data_rejection', operation: /\/bulk$/ },
    error: /^success: Applied (\d+) of (?!\1 )\d+ items$/,
    reason: 'each invalid item fails alone, in a response of 200',
  },
  {
    ...{ check: 'negative_data_rejection', operation: any },
    error: /^success: /,
    reason: 'a blank parameter, or a blank text of a search, counts as not sent',
    when: ({ uri, operation, body }) =>
      [...parametersOf(uri), ...(searches.test(operation) ? textsIn(body) : [])].some((text) => blank.test(text)),
  },
  {
    ...{ check: 'negative_data_rejection', operation: any },
    error: /^success: /,
    reason: 'blanks and control characters around a text do not count for its length',
    when: ({ uri, body, failures }) =>
      failures.some(({ message }) => /maxLength|larger than/.test(message)) &&
      [...parametersOf(uri), ...textsIn(body)].some((text) => /^[\s\p{C}]|[\s\p{C}]$/u.test(text)),
  },
  // A habit of the program.
  {
    ...{ check, operation: any },
    error: /^If-Match: must be the ETag/,
    reason: 'its coverage phase never writes a quote into a header: it sends 0 and takes it for valid',
    when: ({ headers }) => !ifMatch.test(headers['If-Match']?.[0] ?? ''),
  },
];

/** The errors of a response, each with its field or code. */
const errorsOf = ({ answer }: Exchange): readonly string[] => {
  const { success, code, message, errors } = JSON.parse(answer) as {
    readonly success: boolean;
    readonly code?: string;
    readonly message?: string;
    readonly errors?: Readonly<Record<string, string>>;
  };
  if (success) return [`success: ${message ?? ''}`];
  return errors === undefined
    ? [`${code ?? ''}: ${message ?? ''}`]
    : Object.entries(errors).map((each) => each.join(': '));
};

/** The failed checks of an exchange, each with the errors that the list of known failures lacks. */
export const unknownFailures = (exchange: Exchange): readonly string[] =>
  exchange.failures.flatMap((failure) => {
    const { operation, status, method, uri, body, answer } = exchange;
    const isKnown = (error: string): boolean =>
      knownFailures.some(
        (known) =>
          known.check === failure.check &&
          known.operation.test(operation) &&
          known.error.test(error) &&
          known.when?.(exchange) !== false,
      );
    const isListed = knownFailures.some((known) => known.check === failure.check);
    const unknown = isListed ? errorsOf(exchange).filter((error) => !isKnown(error)) : [answer];
    if (unknown.length === 0) return [];
    const request = `${method} ${uri.slice(0, 300)} ${body.slice(0, 300)}`;
    const answered = `${status ?? 'no response'}: ${unknown.join('; ').slice(0, 600)}`;
    return [`${failure.check}: ${failure.message}\n${request}\n${answered}`];
  });
