import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import { exchangeOf } from '../../exchange.js';
import { operationOf, statusOf, templateOf } from '../request-log.js';

const tracer = trace.getTracer('@crm/http');

/**
 * Creates one span per request, named after its operation. It belongs to the caller's trace if the caller sent a
 * `traceparent`. Everything that runs for the request runs inside the span. The span contains the request id, which the
 * caller may have sent, but no path, query or other header value.
 */
export const traceRequests: RequestHandler = (request, response, next) => {
  const exchange = exchangeOf(request);
  const route = templateOf(exchange.match);
  const attributes = {
    'http.request.method': request.method,
    ...(route === undefined ? {} : { 'http.route': route }),
    'crm.request_id': exchange.requestId,
  };
  const parent = propagation.extract(ROOT_CONTEXT, request.headers);
  const span = tracer.startSpan(operationOf(exchange.match), { kind: SpanKind.SERVER, attributes }, parent);
  exchange.traceId = span.spanContext().traceId;
  exchange.whenOver(() => {
    const status = statusOf(response);
    span.setAttribute('http.response.status_code', status);
    if (exchange.apiKey !== undefined) span.setAttribute('crm.organization_id', exchange.apiKey.organizationId);
    if (status >= 500) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      if (exchange.failure instanceof Error) span.setAttribute('error.type', exchange.failure.name);
    }
    span.end();
  });
  context.with(trace.setSpan(parent, span), next);
};
