// Reads the reports of Schemathesis.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

interface Content {
  readonly $base64: string;
}

/** A scenario of the report: the requests of one phase to one operation. */
interface Scenario {
  readonly recorder: {
    /** As `GET /v1/accounts`. */
    readonly label: string;
    readonly interactions?: Readonly<
      Record<
        string,
        {
          readonly request: {
            readonly method: string;
            readonly uri: string;
            readonly headers: Readonly<Record<string, readonly string[]>>;
            readonly body?: Content | null;
          };
          readonly response: {
            readonly status_code: number;
            readonly headers: Readonly<Record<string, readonly string[]>>;
            readonly content: Content | null;
          } | null;
        }
      >
    >;
    readonly checks?: Readonly<
      Record<
        string,
        readonly {
          readonly name: string;
          readonly failure_info?: { readonly failure: { readonly message: string } } | null;
        }[]
      >
    >;
  };
}

/** A request with its response. */
export interface Exchange {
  readonly operation: string;
  readonly method: string;
  readonly uri: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  /** Null if no response came. */
  readonly status: number | null;
  readonly answerHeaders: Readonly<Record<string, readonly string[]>>;
  readonly answer: string;
  /** The checks that failed, with their messages. */
  readonly failures: readonly { readonly check: string; readonly message: string }[];
}

const textOf = (content: Content | null | undefined): string =>
  Buffer.from(content?.$base64 ?? '', 'base64').toString('utf8');

const exchangesOf = ({ recorder: { label, interactions = {}, checks = {} } }: Scenario): readonly Exchange[] =>
  Object.entries(interactions).map(([id, { request, response }]) => ({
    operation: label,
    method: request.method,
    uri: request.uri,
    headers: request.headers,
    body: textOf(request.body),
    status: response?.status_code ?? null,
    answerHeaders: response?.headers ?? {},
    answer: textOf(response?.content),
    failures: (checks[id] ?? []).flatMap(({ name, failure_info }) =>
      failure_info ? [{ check: name, message: failure_info.failure.message }] : [],
    ),
  }));

/** All exchanges of a report as NDJSON. Other formats have only the first failure of each operation and status. */
export const readExchanges = async (path: string): Promise<readonly Exchange[]> => {
  const exchanges: Exchange[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const { ScenarioFinished: scenario } = JSON.parse(line) as { readonly ScenarioFinished?: Scenario };
    if (scenario !== undefined) exchanges.push(...exchangesOf(scenario));
  }
  return exchanges;
};
