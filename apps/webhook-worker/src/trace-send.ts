import type { Attempt, Message } from '@crm/webhooks';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
} from '@opentelemetry/api';
import type { RoundParts } from './deliverer.js';

const tracer = trace.getTracer('@crm/webhook-worker');

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** What the semantic conventions of HTTP require of a client's span. Path and query of a receiver may contain its password. */
const describeReceiver = (receiver: string): Attributes => {
  const { protocol, hostname, port, origin } = new URL(receiver);
  return {
    'http.request.method': 'POST',
    'server.address': hostname,
    'server.port': port === '' ? (defaultPorts[protocol] ?? 0) : Number(port),
    'url.full': `${origin}/REDACTED`,
  };
};

/** Wraps a send in a span that continues the trace of the write. */
export const traceSend =
  (
    send: (message: Message) => Promise<Attempt>,
    webhook: { readonly id: string; readonly url: string },
  ): RoundParts['send'] =>
  async (message, traceparent) => {
    const parent = propagation.extract(ROOT_CONTEXT, traceparent === null ? {} : { traceparent });
    const attributes = {
      ...describeReceiver(webhook.url),
      'crm.operation': 'deliver webhook',
      'crm.webhook_id': webhook.id,
      'messaging.message.id': message.id,
    };
    const span = tracer.startSpan('POST', { kind: SpanKind.CLIENT, attributes }, parent);
    const attempt = await context.with(trace.setSpan(parent, span), () => send(message));
    if (attempt.status !== null) span.setAttribute('http.response.status_code', attempt.status);
    if (!attempt.isDelivered) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: attempt.error ?? '' });
      span.setAttribute('error.type', attempt.status === null ? 'no_response' : String(attempt.status));
    }
    span.end();
    return attempt;
  };
