import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { sqlStateOf } from './database-errors.js';

const tracer = trace.getTracer('@crm/db');
/** Statements that merge many parts are longer. Their start is enough to identify them. */
const longestText = 4_000;

/**
 * Runs a statement inside a span. The span has the text of the statement with placeholders such as `$1`, and no values. Outside of a
 * traced request there is no span.
 */
export const traceStatement = async <T>(text: string, run: () => Promise<T>): Promise<T> => {
  if (trace.getActiveSpan() === undefined) return run();
  const shown = text.replace(/\s+/g, ' ').trim();
  const operation = /^\w+/.exec(shown)?.[0].toUpperCase() ?? 'statement';
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.text': shown.slice(0, longestText),
  };
  const span = tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes });
  try {
    return await run();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    // The message is left out because it may contain values.
    span.setAttribute('error.type', sqlStateOf(error) ?? (error instanceof Error ? error.name : typeof error));
    throw error;
  } finally {
    span.end();
  }
};
