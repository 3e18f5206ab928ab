export { buildReference, type Reference, type ReferenceFile, type ReferenceOptions } from './reference.js';
export type { OpenApiDocument } from './document.js';
export { readSamples, type OperationSamples, variablesOf } from './samples/samples.js';
export { bodyText } from './samples/sample-request.js';
