/** What other programs may use of this worker without starting it: `crm doctor` reads its configuration. */
export { envToConfig } from './config.js';
