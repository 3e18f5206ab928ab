import net, { type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { newSecret, Sender } from '../src/index.js';

const message = { id: 'msg', body: Buffer.from('{}') };
const noContent = 'HTTP/1.1 204 No Content\r\n\r\n';
const head = 'HTTP/1.1 500 Error\r\nContent-Length: ';
const closers: (() => unknown)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A receiver that answers each complete request in its own way. `turn` counts the requests of a connection from 1. */
const receive = async (answer: (socket: Socket, turn: number) => unknown, timeoutMs?: number) => {
  let requests = 0;
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    let turn = 0;
    socket
      .on('error', () => undefined)
      .on('data', (data) => {
        if (!data.toString().endsWith('{}')) return;
        requests += 1;
        turn += 1;
        answer(socket, turn);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sender = new Sender(['127.0.0.0/8'], timeoutMs);
  closers.push(
    () => server.close(),
    () => sender.close(),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    send: () => sender.send(url, [newSecret()], message),
    counts: () => ({ requests, connections }),
  };
};

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

const chunked = 'HTTP/1.1 500 Error\r\nTransfer-Encoding: chunked\r\n\r\n';

test.each<readonly [string, (socket: Socket) => unknown, number | null, string | null]>([
  ['a NUL byte', (socket) => socket.write(`${head}3\r\n\r\na\0b`), 500, 'a\uFFFDb'],
  [
    'no UTF-8',
    (socket) => socket.write(Buffer.concat([Buffer.from(`${head}2\r\n\r\n`), Buffer.from([0xff, 0x41])])),
    500,
    '\uFFFDA',
  ],
  [
    'half of a surrogate pair',
    (socket) => socket.write(Buffer.concat([Buffer.from(`${head}3\r\n\r\n`), Buffer.from([0xed, 0xa0, 0x80])])),
    500,
    '\uFFFD\uFFFD\uFFFD',
  ],
  ['a body after 204', (socket) => socket.write(`${noContent}body`), 204, ''],
  ['garbage', (socket) => socket.write('\0\x01garbage\r\n\r\n'), null, ''],
  ['a NUL byte in a header', (socket) => socket.write('HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n'), null, ''],
  ['huge headers', (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`), null, ''],
  ['garbage as a chunk', (socket) => socket.write(`${chunked}zz\r\n`), 500, ''],
  [
    'an endless body',
    (socket) => socket.write(`${chunked}${`400\r\n${'x'.repeat(0x400)}\r\n`.repeat(3)}`),
    500,
    'x'.repeat(1_024),
  ],
  ['no answer', () => undefined, null, ''],
  ['endless 1xx', (socket) => setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 5).unref(), null, ''],
  ['a closed connection', (socket) => socket.end(), null, ''],
  ['half of an answer', (socket) => socket.end(`${head}9\r\n\r\nabc`), 500, ''],
])('makes an attempt of %s, with texts that can be stored', async (_about, answer, status, response) => {
  // Only those that end by themselves get more time, so that a busy machine changes no result.
  const { send } = await receive(answer, status === null ? 500 : undefined);
  const attempt = await send();
  expect(attempt).toMatchObject({ status, response, isDelivered: status === 204 });
  expect(JSON.stringify(attempt)).not.toMatch(/\\u0000|\\ud[89a-f]/i);
  // The next message is not answered by what is left of this answer.
  expect(await send()).toMatchObject({ status });
});

test.each<readonly [string, (socket: Socket, turn: number) => unknown]>([
  ['resets after its answer', (socket) => socket.write(noContent, () => setTimeout(() => socket.resetAndDestroy(), 1))],
  ['closes after its answer', (socket) => socket.write(noContent, () => setTimeout(() => socket.end(), 1))],
  [
    'closes when the next request arrives',
    (socket, turn) => (turn % 2 === 1 ? socket.write(noContent) : socket.destroy()),
  ],
  [
    'resets when the next request arrives',
    (socket, turn) => (turn % 2 === 1 ? socket.write(noContent) : socket.resetAndDestroy()),
  ],
  [
    'answers 408 when it closes',
    (socket, turn) =>
      socket.write(
        turn % 2 === 1 ? noContent : 'HTTP/1.1 408 Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      ),
  ],
])('delivers to a receiver that keeps connections and %s', async (_about, answer) => {
  const { send } = await receive(answer);
  for (let turn = 0; turn < 20; turn += 1) {
    expect(await send()).toMatchObject({ error: null, isDelivered: true });
    if (turn % 3 === 0) await nextTurn();
  }
});

/** Long enough for the head of an answer on a busy machine. */
const headTimeoutMs = 2_000;
const okHead = 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n';
test.each<readonly [string, (socket: Socket) => unknown, object]>([
  [
    'writes its body too slowly',
    (socket) => {
      socket.write(okHead);
      const timer = setInterval(() => socket.write('x'), 400).unref();
      socket.once('close', () => clearInterval(timer));
    },
    { status: 200, error: 'no complete answer within 2 s: the status 200 arrived, its body did not' },
  ],
  [
    'sends no body',
    (socket) => socket.write('HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 20\r\n\r\n'),
    {
      status: 429,
      retryAfterMs: 7_000,
      error: 'no complete answer within 2 s: the status 429 arrived, its body did not',
    },
  ],
  [
    'closes within its body',
    (socket) => socket.end(`${okHead}x`),
    {
      status: 200,
      error: 'the connection ended before the answer was complete: the status 200 arrived, its body did not',
    },
  ],
  ['never answers', () => undefined, { status: null, error: 'no complete answer within 2 s' }],
])('names the status of a receiver that %s', async (_about, answer, expected) => {
  const { send } = await receive(answer, headTimeoutMs);
  expect(await send()).toMatchObject({ isDelivered: false, ...expected });
});

test('does not repeat a request whose new connection was closed, or whose answer had begun', async () => {
  const closing = await receive((socket) => socket.destroy());
  expect((await closing.send()).error).toBe('the receiver closed the connection before it answered');
  expect(closing.counts()).toEqual({ requests: 1, connections: 1 });
  const halfway = await receive((socket, turn) => (turn === 1 ? socket.write(noContent) : socket.end('HTTP/1.1 20')));
  await halfway.send();
  expect((await halfway.send()).isDelivered).toBe(false);
  expect(halfway.counts()).toEqual({ requests: 2, connections: 1 });
});
