/** The SDK of OpenTelemetry, loaded when a service exports its spans. Bundles do not have it. */
import { context, propagation, trace } from '@opentelemetry/api';
import type { Sampler } from '@opentelemetry/sdk-trace';
import type { SamplerName } from './settings.ts';

export type ExportOptions = {
  service: string;
  sampler: SamplerName;
  /** Share of the traces that a sampler with `traceidratio` in its name keeps. */
  ratio: number;
  /** Returns the trace id of the span that is being started, if it is chosen. */
  traceId: () => string | undefined;
};

/** Starts the export by the standard variables of the exporter. Resolves to its end. */
export async function startExport({ service, sampler, ratio, traceId }: ExportOptions) {
  const [sdk, { OTLPTraceExporter }, { AsyncLocalStorageContextManager }, core, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/resources'),
    ]);
  const roots: Record<string, () => Sampler> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  };
  const [, prefix, rootName = ''] = /^(parentbased_)?(.+)$/.exec(sampler) ?? [];
  const root = roots[rootName]?.() ?? new sdk.AlwaysOnSampler();
  const random = new sdk.RandomIdGenerator();
  const { detectResources, envDetector, resourceFromAttributes } = resources;
  const provider = new sdk.TracerProvider({
    sampler: prefix === undefined ? root : new sdk.ParentBasedSampler({ root }),
    idGenerator: {
      generateTraceId: () => traceId() ?? random.generateTraceId(),
      generateSpanId: random.generateSpanId,
    },
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES replace the name.
    resource: resourceFromAttributes({ 'service.name': `latchkey-${service}` }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  // Credentials of the collector, which the exporter has read.
  delete process.env.OTEL_EXPORTER_OTLP_HEADERS;
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  // Without baggage, which would carry texts of strangers to other services.
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return provider;
}
