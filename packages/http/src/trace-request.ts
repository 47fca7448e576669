/** Spans of requests that a service receives. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { failSpan, linksTo, remoteParent, startSpan, withSpan } from '@latchkey/service/tracing';
import ipaddr from 'ipaddr.js';

/** Networks of the services of a deployment. */
const OWN_NETWORKS = new Set(['loopback', 'private', 'uniqueLocal']);

/**
 * Calls `next` in the span of a request. A caller of a private network is a service of the deployment: its trace continues, with its
 * decision to sample. A stranger must not choose what is sampled: his request begins a trace, with a link to his.
 */
export function traceRequest(
  req: IncomingMessage,
  res: ServerResponse,
  {
    address,
    describe,
  }: {
    /** Address of the client, behind proxies too. */
    address: string;
    /** Returns the path without its parameters, which can be secrets, and the code of an error. */
    describe: () => { route: string; error?: string | undefined };
  },
  next: () => void,
): void {
  const sent = remoteParent(req.headers);
  const isOwn = ipaddr.isValid(address) && OWN_NETWORKS.has(ipaddr.process(address).range());
  const method = req.method ?? '';
  const trace = isOwn ? { parent: sent } : { parent: remoteParent({}), links: linksTo(sent) };
  const span = startSpan(method, { ...trace, kind: 'SERVER' });
  res.once('close', () => {
    const { route, error } = describe();
    const status = res.writableFinished ? { 'http.response.status_code': res.statusCode } : {};
    const requestId = res.getHeader('X-Request-Id');
    span
      .updateName(`${method} ${route}`)
      .setAttributes({ 'http.request.method': method, 'http.route': route, ...status })
      .setAttributes(typeof requestId === 'string' ? { request_id: requestId } : {});
    if (!res.writableFinished) failSpan(span, 'aborted');
    else if (res.statusCode >= 500) failSpan(span, error ?? String(res.statusCode));
    span.end();
  });
  withSpan(span, next);
}
