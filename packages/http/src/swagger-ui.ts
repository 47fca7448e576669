import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { Router } from 'express';
import { constantReply } from './constant-replies.ts';

// An import of the package would evaluate the whole user interface in every service.
const { resolve } = createRequire(import.meta.url);
const assets = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Routes `/` and `prefix`: redirects browsers to Swagger UI and returns its addresses as JSON to other clients. */
export function entrance(prefix: string, title: string): Router {
  const links = {
    name: title,
    openapi: `${prefix}/openapi.json`,
    swagger_ui: `${prefix}/swagger-ui`,
    health: '/health',
  };
  const router = Router({ strict: true, caseSensitive: true });
  router.get(['/', prefix], (req, res) => {
    res.vary('Accept');
    if (req.accepts(['json', 'html']) === 'html') res.redirect(302, links.swagger_ui);
    else res.json(links);
  });
  return router;
}

/**
 * Serves Swagger UI at `path` from local files. `documentUrl` is relative to `path`. The content security policy
 * forbids inline scripts; the library needs inline styles.
 */
export function swaggerUi(path: string, documentUrl: string, title: string): Router {
  const base = path.slice(path.lastIndexOf('/') + 1);
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${base}/swagger-ui.css">
<link rel="icon" type="image/png" href="${base}/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${base}/swagger-ui-bundle.js"></script>
<script src="${base}/start.js"></script>
</body>
</html>
`;
  const start = `SwaggerUIBundle({ url: ${JSON.stringify(documentUrl)}, dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });\n`;
  const router = Router({ strict: true, caseSensitive: true });
  const headers = {
    'Content-Security-Policy':
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  };
  router.get(
    path,
    constantReply(() => ({ type: 'html', body: Buffer.from(page), headers })),
  );
  router.get(
    `${path}/start.js`,
    constantReply(() => ({ type: 'js', body: Buffer.from(start) })),
  );
  for (const asset of assets)
    router.get(
      `${path}/${asset}`,
      constantReply(() => ({
        type: extname(asset),
        body: readFileSync(resolve(`swagger-ui-dist/${asset}`)),
      })),
    );
  return router;
}
