import { processContext } from './cli-context.js';
import { runCli } from './program.js';

// Set, not called: process.exit() would cut off output that a pipe has not taken yet.
process.exitCode = await runCli(process.argv.slice(2), processContext());
