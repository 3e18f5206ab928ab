export * from './api-key.js';
export * from './errors.js';
export * from './object-type.js';
export * from './result.js';
export * from './custom-field/definition.js';
