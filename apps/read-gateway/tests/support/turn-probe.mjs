// Loaded into a gateway before its own code. Between `/start` and `/stop` it measures the longest turn of the event loop.
import { createServer } from 'node:http';

let isRunning = false;
let longestMs = 0;
let startedAtMs = 0;
let startedWith = process.cpuUsage();

/** A turn took its processor time, but not more than the time on a clock: other threads of the process use the processor too. */
const endTurn = () => {
  const { user, system } = process.cpuUsage(startedWith);
  longestMs = Math.max(longestMs, Math.min((user + system) / 1_000, performance.now() - startedAtMs));
};

const beginTurn = () => {
  startedAtMs = performance.now();
  startedWith = process.cpuUsage();
};

const watch = () => {
  endTurn();
  beginTurn();
  if (isRunning) setImmediate(watch);
};

createServer((request, response) => {
  isRunning = request.url === '/start';
  if (isRunning) {
    longestMs = 0;
    beginTurn();
    setImmediate(watch);
  }
  response.end(String(longestMs));
})
  .listen(Number(process.env.TURN_PROBE_PORT), '127.0.0.1')
  .unref();
