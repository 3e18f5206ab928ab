// Loaded into a gateway before its own code (node --import). When the stack is killed, and cannot stop its children any
// more, their channel to it breaks; they then stop as they would on SIGTERM, instead of keeping their ports for ever.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
