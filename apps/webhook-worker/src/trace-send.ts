import type { Attempt, Message } from '@crm/webhooks';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { RoundParts } from './deliverer.js';

const tracer = trace.getTracer('@crm/webhook-worker');

/** Wraps a send in a span that continues the trace of the write. */
export const traceSend =
  (send: (message: Message) => Promise<Attempt>, webhookId: string): RoundParts['send'] =>
  async (message, traceparent) => {
    const parent = propagation.extract(ROOT_CONTEXT, traceparent === null ? {} : { traceparent });
    const attributes = { 'crm.webhook_id': webhookId, 'messaging.message.id': message.id };
    const span = tracer.startSpan('deliver webhook', { kind: SpanKind.CLIENT, attributes }, parent);
    const attempt = await context.with(trace.setSpan(parent, span), () => send(message));
    if (attempt.status !== null) span.setAttribute('http.response.status_code', attempt.status);
    if (!attempt.isDelivered) span.setStatus({ code: SpanStatusCode.ERROR, message: attempt.error ?? '' });
    span.end();
    return attempt;
  };
