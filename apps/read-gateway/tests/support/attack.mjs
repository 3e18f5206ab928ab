// Sends one request again and again on several connections, as a client that means harm or knows no better. It has a process of
// its own, because the caller that is measured must not share an event loop with it. The first message says what to send, the
// second one ends it: the answer is how often it got each status.
import { once } from 'node:events';
import { Agent, request } from 'node:http';

/** What a limit of requests or load answers is not sent again at once. */
const pauseMs = 1_000;
const slowReadEveryMs = 500;

const [{ url, method, headers, body, connections, isSlow }] = await once(process, 'message');
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const counts = {};

const send = () => {
  const again = (afterMs) => setTimeout(send, afterMs);
  const sent = request(url, { agent, method, headers }, (answer) => {
    counts[answer.statusCode] = (counts[answer.statusCode] ?? 0) + 1;
    answer.on('data', () => {
      if (!isSlow) return;
      answer.pause();
      setTimeout(() => answer.resume(), slowReadEveryMs);
    });
    answer.once('error', () => again(pauseMs));
    answer.once('end', () => again(answer.statusCode < 400 ? 0 : pauseMs));
  });
  sent.once('error', () => again(pauseMs));
  sent.end(body);
};

for (let index = 0; index < connections; index += 1) send();
process.send('begun');
await once(process, 'message');
process.send(counts, () => process.exit(0));
