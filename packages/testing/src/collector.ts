import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

/** The part of an OTLP JSON span that tests use. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[];
  }[];
}

/** Attributes of a span or resource. */
export const attributeOf = ({ attributes }: CollectedSpan, key: string): string | number | undefined => {
  const value = attributes.find((each) => each.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
};

/** A collector that accepts OTLP over HTTP as JSON and stores it. */
export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  readonly services: ReadonlySet<string | undefined>;
  /** All received bodies, unparsed. */
  readonly texts: string[];
  stop(): Promise<void>;
}

/** Starts a collector on a free port. */
export const startCollector = async (): Promise<Collector> => {
  const texts: string[] = [];
  const resources = () => texts.flatMap((body) => (JSON.parse(body) as OtlpBody).resourceSpans);
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/traces') texts.push(body);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts,
    get spans() {
      return resources().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
    },
    get services() {
      const names = resources().map(({ resource }) => resource.attributes.find(({ key }) => key === 'service.name'));
      return new Set(names.map((name) => name?.value.stringValue));
    },
    stop: async () => {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
};
