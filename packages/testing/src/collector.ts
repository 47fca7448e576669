/** A stand-in for an OpenTelemetry collector, which keeps what services export. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type ExportedSpan = {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Attribute[];
  links?: { traceId: string; spanId: string }[];
};

type Attribute = { key: string; value: { stringValue?: string } };
type Exported = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: Omit<ExportedSpan, 'service'>[] }[];
  }[];
};

export type Collector = AsyncDisposable & {
  /** As in OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans: () => ExportedSpan[];
  /** Returns all bytes that were exported, with their headers. */
  text: () => string;
};

export async function startCollector(): Promise<Collector> {
  const headers: string[] = [];
  const bodies: string[] = [];
  const server = createServer(async (req, res) => {
    headers.push(JSON.stringify(req.headers));
    bodies.push((await buffer(req)).toString());
    res.setHeader('Content-Type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () =>
      bodies
        .flatMap((body) => (JSON.parse(body) as Exported).resourceSpans)
        .flatMap(({ resource: { attributes }, scopeSpans }) => {
          const name = attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
          return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service: name })));
        }),
    text: () => [...headers, ...bodies].join('\n'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
