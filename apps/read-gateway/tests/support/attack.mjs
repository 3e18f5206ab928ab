// Sends one request again and again, as a client that means harm or knows no better, from a process of its own: the caller that is
// measured must not share an event loop with it. Reads what to send as JSON from the first line of standard input, continues until
// standard input ends, and then prints how often each status was answered. Before, it prints an empty line for the first connection, and
// one for the first answer.
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * @typedef {object} Attack
 * @property {number} port
 * @property {string} path
 * @property {string} method
 * @property {Record<string, string>} headers
 * @property {string} [body] COUNTER in it stands for a number that each request increases
 * @property {number} connections
 * @property {boolean} [isSlow] takes answers a little at a time
 */

/** What a limit of requests or load answers is not sent again at once. */
const pauseMs = 1_000;
const slowReadEveryMs = 500;

const counts = {};
let isOver = false;
/** What was reported with an empty line each: the first connection, and the first answer. */
const reported = new Set();
const report = (what) => {
  if (!reported.has(what)) process.stdout.write('\n');
  reported.add(what);
};
/** The number in the last request; it always has as many digits as COUNTER has letters. */
let counter = 1_000_000;

/** @param {Attack} attack */
const textOf = ({ path, method, headers, body = '' }) => {
  const all = { Host: 'a', ...headers, 'Content-Length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
};

const numbered = (text) =>
  text.includes('COUNTER') ? text.toString().replaceAll('COUNTER', String((counter += 1))) : text;

/** Sends on one connection, each request after the answer to the one before, and opens another when that is closed. */
const send = (attack, text) => {
  if (isOver) return;
  const socket = connect(attack.port, '127.0.0.1', () => {
    report('connection');
    socket.write(numbered(text));
  });
  let missing = 0;
  const onData = (chunk) => {
    let rest = chunk;
    if (missing === 0) {
      const head = chunk.toString('latin1');
      const status = head.slice(9, 12);
      counts[status] = (counts[status] ?? 0) + 1;
      report('answer');
      missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      rest = chunk.subarray(head.indexOf('\r\n\r\n') + 4);
      socket.status = status;
    }
    missing -= rest.length;
    if (missing > 0) return;
    missing = 0;
    setTimeout(() => !isOver && socket.writable && socket.write(numbered(text)), socket.status >= '400' ? pauseMs : 0);
  };
  socket.on('data', (chunk) => {
    onData(chunk);
    if (attack.isSlow) {
      socket.pause();
      setTimeout(() => socket.resume(), slowReadEveryMs);
    }
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    counts.closed = (counts.closed ?? 0) + 1;
    setTimeout(() => send(attack, text), pauseMs);
  });
};

const input = createInterface({ input: process.stdin });
input.once('line', (line) => {
  const attack = JSON.parse(line);
  const text = textOf(attack);
  for (let index = 0; index < attack.connections; index += 1) send(attack, text);
});
input.once('close', () => {
  isOver = true;
  process.stdout.write(JSON.stringify(counts), () => process.exit(0));
});
