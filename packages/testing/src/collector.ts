import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

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
  readonly spans: CollectedSpan[];
  readonly services: Set<string | undefined>;
  /** All received bodies, unparsed. */
  readonly texts: string[];
  stop(): Promise<void>;
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

/** Starts a collector on a free port. */
export const startCollector = async (): Promise<Collector> => {
  const spans: CollectedSpan[] = [];
  const services = new Set<string | undefined>();
  const texts: string[] = [];
  const take = (text: string): void => {
    texts.push(text);
    for (const { resource, scopeSpans } of (JSON.parse(text) as OtlpBody).resourceSpans) {
      services.add(resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue);
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    }
  };
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      if (request.method === 'POST' && request.url === '/v1/traces') take(text);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    services,
    texts,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
