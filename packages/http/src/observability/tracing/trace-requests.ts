import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
} from '@opentelemetry/api';
import type { Request, RequestHandler, Response } from 'express';
import { type Exchange, exchangeOf } from '../../exchange.js';
import { operationOf, templateOf } from '../request-log.js';

const tracer = trace.getTracer('@crm/http');

/** The methods that the semantic conventions of HTTP know. All others share one name, because there are many of them. */
const knownMethods = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);
/** Stands for a text of the caller. Paths and queries contain emails, search words and ids. */
const redacted = 'REDACTED';

/** The name of the span and the attributes that the semantic conventions require, with a route's template in place of its path. */
const describeRequest = (request: Request, exchange: Exchange): { name: string; attributes: Attributes } => {
  const route = templateOf(exchange.match);
  const method = knownMethods.has(request.method) ? request.method : null;
  return {
    name: [method ?? 'HTTP', ...(route === undefined ? [] : [route])].join(' '),
    attributes: {
      'http.request.method': method ?? '_OTHER',
      'url.scheme': request.protocol === 'https' ? 'https' : 'http',
      'url.path': route ?? redacted,
      ...(exchange.queryText === '' ? {} : { 'url.query': redacted }),
      ...(route === undefined ? {} : { 'http.route': route }),
      'network.protocol.version': request.httpVersion,
      'crm.operation': operationOf(exchange.match),
      'crm.request_id': exchange.requestId,
    },
  };
};

/** The attributes that are known once the request is over. Without a sent response there is no status. */
const describeEnd = ({ apiKey, failure }: Exchange, response: Response): Attributes => {
  const status = response.headersSent ? response.statusCode : undefined;
  const failureType = failure instanceof Error ? failure.name : String(status);
  const errorType = status === undefined ? 'disconnected' : status >= 500 ? failureType : undefined;
  return {
    ...(status === undefined ? {} : { 'http.response.status_code': status }),
    ...(errorType === undefined ? {} : { 'error.type': errorType }),
    ...(apiKey === undefined ? {} : { 'crm.organization_id': apiKey.organizationId }),
  };
};

/**
 * Creates one span per request, named after its method and route, as in `GET /v1/accounts/{id}`. It belongs to the caller's trace if the
 * caller sent a `traceparent`. Everything that runs for the request runs inside the span. The span contains the request id, which the
 * caller may have sent, but no path, query or other header value.
 */
export const traceRequests: RequestHandler = (request, response, next) => {
  const exchange = exchangeOf(request);
  const { name, attributes } = describeRequest(request, exchange);
  const parent = propagation.extract(ROOT_CONTEXT, request.headers);
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
  exchange.traceId = span.spanContext().traceId;
  exchange.whenOver(() => {
    span.setAttributes(describeEnd(exchange, response));
    if (response.headersSent && response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
  context.with(trace.setSpan(parent, span), next);
};
