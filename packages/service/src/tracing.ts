/**
 * Traces of OpenTelemetry. Without OTEL_EXPORTER_OTLP_ENDPOINT no SDK is loaded, and these functions only call what they are given.
 * Spans have names, statuses and counts: no text that a client sent, no URL and no message of an error.
 */
import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { z } from 'zod';
import { tracingSettings } from './settings.ts';

let exporter: { shutdown: () => Promise<void> } | undefined;
/** Trace id of the next span without a parent. */
let chosenTraceId: string | undefined;

const tracer = trace.getTracer('latchkey');

export const isTracing = (): boolean => exporter !== undefined;

/** Starts the export of spans when the settings name a collector. Wrong settings are reported by the service that has them. */
export async function startTracing(service: string): Promise<void> {
  const present = Object.entries(process.env).filter(([, value]) => value !== '');
  const { data: env } = z.object(tracingSettings).safeParse(Object.fromEntries(present));
  if (env?.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return;
  const { startExport } = await import('./trace-export.ts');
  exporter = await startExport({
    service,
    sampler: env.OTEL_TRACES_SAMPLER,
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
    traceId: () => chosenTraceId,
  });
}

/** Sends the spans that are not exported yet. */
export async function endTracing(): Promise<void> {
  await exporter?.shutdown().catch(() => {});
}

export type SpanOptions = {
  kind?: keyof typeof SpanKind;
  attributes?: Attributes;
  /** The span begins a part of this trace, which other processes know too. Default: the active span is its parent. */
  traceId?: string;
  /** The span of another service that is the parent. */
  parent?: Context;
  links?: Link[];
  startTime?: Date;
};

/** Returns a new span, which has no effect while traces are off. The caller must end it. */
export function startSpan(name: string, options: SpanOptions = {}): Span {
  const { kind = 'INTERNAL', traceId, parent, ...rest } = options;
  chosenTraceId = traceId;
  try {
    const within = traceId === undefined ? (parent ?? context.active()) : ROOT_CONTEXT;
    return tracer.startSpan(name, { ...rest, kind: SpanKind[kind] }, within);
  } finally {
    chosenTraceId = undefined;
  }
}

/** Calls `work` in the span, so that it is the parent of the spans that `work` starts. */
export const withSpan = <T>(span: Span, work: () => T): T =>
  context.with(trace.setSpan(context.active(), span), work);

/** Calls `work` in a new span, which ends with it. */
export const inSpan = <T>(name: string, work: () => Promise<T>, options?: SpanOptions): Promise<T> =>
  isTracing() ? traced(startSpan(name, options), work) : work();

async function traced<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await withSpan(span, work);
  } catch (error) {
    failSpan(span, error instanceof Error ? error.name : 'unknown');
    throw error;
  } finally {
    span.end();
  }
}

/** Adds to the active span. */
export const annotateSpan = (attributes: Attributes): void => {
  trace.getActiveSpan()?.setAttributes(attributes);
};

/** @param type Name or code of the error: its message can repeat what a client sent. */
export function failSpan(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
}

/** Returns a function that calls `work` in the context of the present span, whichever event calls it. */
export const inPresentTrace = <F extends (...args: never[]) => unknown>(work: F): F =>
  context.bind(context.active(), work);

/** Returns `traceparent` of the active span, for a request to another service; nothing while traces are off. */
export function traceHeaders(): { traceparent?: string } {
  const headers = {};
  if (isTracing()) propagation.inject(context.active(), headers);
  return headers;
}

/** Returns the context that `traceparent` of a request names, for `parent` of a span. */
export const remoteParent = (headers: object): Context => propagation.extract(ROOT_CONTEXT, headers);

/** Returns the link to the span of a context; none without a span. */
export function linksTo(other: Context): Link[] {
  const found = trace.getSpanContext(other);
  return found ? [{ context: found }] : [];
}

/** Returns the link to the active span. */
export const linksToActive = (): Link[] => linksTo(context.active());

/** Returns the trace id of the active span, for a log line. */
export function traceFields(): { trace_id?: string } {
  const traceId = trace.getSpanContext(context.active())?.traceId;
  return traceId === undefined ? {} : { trace_id: traceId };
}
