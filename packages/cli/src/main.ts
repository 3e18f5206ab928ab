import { processContext } from './cli-context.js';
import { runCli } from './program.js';

// Sets the code and does not call process.exit(), which would cut off output that is still waiting in a pipe.
process.exitCode = await runCli(process.argv.slice(2), processContext());
