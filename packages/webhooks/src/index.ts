export * from './endpoint-url.js';
export * from './message.js';
export * from './secret.js';
export * from './send.js';
export * from './settings.js';
