import express, { type Express, type Request, type Response } from 'express';
import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client';
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

/** Returns the application that serves `/metrics`. Serve it on a private port. */
export function metricsApp(registry: Registry): Express {
  const app = express();
  app.disable('x-powered-by');
  app.get('/metrics', async (_req, res) => {
    // Leaves out metrics that cannot be read, such as counts of a database that is down.
    const read = ({ name }: { name: string }) => registry.getSingleMetricAsString(name).catch(() => '');
    const texts = await Promise.all(registry.getMetricsAsArray().map(read));
    res.type(registry.contentType).send(`${texts.filter(Boolean).join('\n\n')}\n`);
  });
  return app;
}
