export type { CliContext } from './cli-context.js';
export { exitCodes } from './errors.js';
export { createProgram, runCli } from './program.js';
