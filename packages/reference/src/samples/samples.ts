import { listOperations, type OpenApiDocument, type Operation } from '../document.js';
import { curlSample } from './curl.js';
import { pythonSample } from './python.js';
import { type SampleRequest, sampleRequestOf } from './sample-request.js';
import { typescriptSample } from './typescript.js';

/** The samples of one operation. */
export interface OperationSamples {
  readonly operation: Operation;
  readonly request: SampleRequest;
  readonly curl: string;
  readonly typescript: string;
  readonly python: string;
}

/** The samples of every operation in a gateway's document, generated from its examples. */
export const readSamples = (document: OpenApiDocument, gateway: 'read' | 'inbound'): readonly OperationSamples[] =>
  listOperations(document).map((operation) => {
    const request = sampleRequestOf(operation, gateway);
    return {
      operation,
      request,
      curl: curlSample(request),
      typescript: typescriptSample(operation, request),
      python: pythonSample(request),
    };
  });

/** The variables that the samples use, in order of their first use: `PIPELINE_ID`, `ACCOUNT_ID`. */
export const variablesOf = (samples: readonly OperationSamples[]): readonly string[] => {
  const texts = samples.map(({ request }) => JSON.stringify([request.path, request.query, request.body]));
  return [...new Set([...texts.join('').matchAll(/\$([A-Z][A-Z_]*)/g)].map(([, name]) => name ?? ''))];
};
