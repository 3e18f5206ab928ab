import { Webhook } from 'standardwebhooks';

/** What an endpoint receives of an event: everything, or only which record and which fields changed. */
export const payloads = ['full', 'thin'] as const;

/** One of {@link payloads}. */
export type Payload = (typeof payloads)[number];

/** A request to an endpoint, without its signature. */
export interface Message {
  /** The same for each attempt, so that receivers can ignore repetitions. */
  readonly id: string;
  readonly body: Buffer;
}

/** An event of the change log. */
export interface LoggedEvent {
  readonly id: string;
  readonly position: number;
  readonly type: string;
  readonly object: string;
  readonly recordId: string;
  readonly version: number;
  /** RFC 3339. */
  readonly occurredAt: string;
  /** The names of the changed fields. */
  readonly changed: readonly string[];
  /** Of the deletion of a merged record, the record that it was merged into. */
  readonly mergedInto: string | null;
  /** Of a `merged` event, the record that was merged into its record. */
  readonly mergedFrom: string | null;
  /** The event as `GET /v1/events` returns it. */
  readonly json: Buffer;
}

/** `{"type":…,"timestamp":…,"log_id":…,"data":…}`, as Standard Webhooks recommends. `data` is the event, or what it has besides values if `thin`. */
export const eventMessage = (event: LoggedEvent, payload: Payload, logId: string): Message => {
  const { id, position, type, object, recordId, version, occurredAt, changed, json } = event;
  const head = `{"type":${JSON.stringify(type)},"timestamp":"${occurredAt}","log_id":${JSON.stringify(logId)},"data":`;
  const merge = { merged_into: event.mergedInto, merged_from: event.mergedFrom };
  const thin = {
    id,
    log_id: logId,
    position,
    type,
    object,
    record_id: recordId,
    version,
    occurred_at: occurredAt,
    changed,
    ...merge,
  };
  const data = payload === 'full' ? json : Buffer.from(JSON.stringify(thin));
  return { id, body: Buffer.concat([Buffer.from(head), data, Buffer.from('}')]) };
};

/** The message that a test of an endpoint sends. */
export const testMessage = (id: string, endpointId: string, at: Date): Message => ({
  id,
  body: Buffer.from(
    JSON.stringify({ type: 'webhook.test', timestamp: at.toISOString(), data: { webhook_id: endpointId } }),
  ),
});

/**
 * The headers of Standard Webhooks for one attempt.
 * @param secrets - active secrets; during a rotation two, and the message then has two signatures
 */
export const signedHeaders = ({ id, body }: Message, secrets: readonly string[], at: Date): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
});
