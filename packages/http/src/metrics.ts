import type { RequestListener } from 'node:http';
import type { Request, Response } from 'express';
import { collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import info from '../package.json' with { type: 'json' };
import type { Locals } from './request-locals.ts';

/** Resolution of the event loop delay. The default, 10 ms, makes an idle service wake 100 times per second. */
const LOOP_DELAY_MS = 100;

/** Counts and times requests by the declared path of the route, never by the URL of the request. */
export function measureRequests(registry: Registry): (req: Request, res: Response) => void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_DELAY_MS });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the request line to the end of the reply, by method, route and status.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900],
    registers: [registry],
  });
  return (req, res) => {
    const stop = duration.startTimer();
    res.once('close', () => {
      const route = (res.locals as Locals).routePath ?? 'other';
      stop({ method: req.method, route, status: res.writableFinished ? String(res.statusCode) : 'aborted' });
    });
  };
}

/** Returns the application that serves `/metrics`, with the version of the services. Serve it on a private port. */
export function metricsApp(registry: Registry): RequestListener {
  new Gauge({
    name: 'latchkey_build_info',
    help: '1 for the version of the service.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: info.version }, 1);
  // Without those that cannot be read, such as counts of a database that is down.
  const read = ({ name }: { name: string }) => registry.getSingleMetricAsString(name).catch(() => '');
  return async ({ url }, response) => {
    if (url !== '/metrics') return void response.writeHead(404).end();
    const texts = await Promise.all(registry.getMetricsAsArray().map(read));
    response.writeHead(200, { 'Content-Type': registry.contentType });
    response.end(`${texts.filter(Boolean).join('\n\n')}\n`);
  };
}
