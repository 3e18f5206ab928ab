// Loaded into a gateway before its own code (node --import). If the stack is killed, it cannot stop its gateways any
// more. Their IPC channel to it then breaks, and they stop as on SIGTERM instead of keeping their ports.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
