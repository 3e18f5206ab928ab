/** What other programs may use of this gateway without its server: `crm` runs its operations and reads its configuration. */
export { envToConfig } from './config.js';
export type { Context } from './context.js';
export { operations } from './operations/index.js';
