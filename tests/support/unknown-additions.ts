import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One address for both gateways, whose responses have what a later version may add. */
export interface LaterVersion {
  readonly url: string;
  stop(): Promise<void>;
}

type Json = Record<string, unknown>;

/** Objects whose keys are data, such as the slugs of custom fields. */
const maps = new Set(['custom_fields', 'custom_field_definitions', 'errors', 'record', 'previous', 'counts']);

/** Headers of the response that the proxy decides itself. */
const perHop = new Set(['content-length', 'transfer-encoding', 'connection']);

/** Adds a property to every object, and makes the last event one of an unknown type and object. */
const addUnknown = (value: unknown, key = ''): void => {
  if (typeof value !== 'object' || value === null || maps.has(key)) return;
  for (const [name, part] of Object.entries(value)) addUnknown(part, name);
  if (Array.isArray(value)) return;
  (value as Json)['brand_new'] = { since: 2 };
  const { events } = value as { events?: Json[] };
  const last = events?.at(-1);
  if (last !== undefined) Object.assign(last, { type: 'task.created', object: 'task' });
};

/** Starts the proxy: `/v1/inbound/` goes to the inbound gateway, all other paths to the read gateway. */
export const startLaterVersion = async (gateways: { readUrl: string; inboundUrl: string }): Promise<LaterVersion> => {
  const server = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming;
    const target = new URL(url, url.startsWith('/v1/inbound/') ? gateways.inboundUrl : gateways.readUrl);
    const sent = request(
      target,
      { method, headers: { ...headers, host: target.host, 'accept-encoding': 'identity' } },
      (answer) => {
        void text(answer).then((body) => {
          const json = JSON.parse(body) as unknown;
          addUnknown(json);
          const kept = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !perHop.has(name)));
          outgoing.writeHead(answer.statusCode ?? 500, kept);
          outgoing.end(JSON.stringify(json));
        });
      },
    );
    sent.once('error', () => outgoing.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${port}`, stop };
};
