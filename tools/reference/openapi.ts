/** Pages of an HTTP API, made of its OpenAPI description: an overview, and a page per tag with a section per route. */
import { code, page, paragraph, table, toAnchor } from './markdown.ts';
import { describeBody, describeType, type Schema } from './schema.ts';

type Content = Record<string, { schema?: Schema; example?: unknown }>;
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema };
type Reply = { description: string; content?: Content; headers?: Record<string, { description: string }> };
type Operation = {
  tags: string[];
  summary: string;
  description?: string;
  deprecated?: boolean;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, Reply>;
  'x-price'?: { micros: number; per: string };
};
type SecurityScheme = { description?: string; name?: string; scheme?: string };
export type OpenApi = {
  info: { title: string; version: string; description?: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, SecurityScheme> };
};

/** A route; `request` is its method and path, and the heading of its section. */
type Route = { request: string; operation: Operation };

/** Explained once, in the overview. */
const COMMON_HEADERS = ['X-Min-Block', 'Idempotency-Key', 'X-Request-Id'];

const capitalize = (tag: string): string => `${tag[0]?.toUpperCase()}${tag.slice(1).replaceAll('-', ' ')}`;

function routesOf({ paths }: OpenApi): Route[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      request: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
}

/** Returns the text that most routes have for each error status. */
function commonErrors(routes: Route[]): Map<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const { operation } of routes)
    for (const [status, { description }] of Object.entries(operation.responses)) {
      if (!/^[45]\d\d$/.test(status)) continue;
      const texts = counts.get(status) ?? new Map<string, number>();
      counts.set(status, texts.set(description, (texts.get(description) ?? 0) + 1));
    }
  const mostOf = (texts: Map<string, number>) => [...texts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? '';
  return new Map([...counts].toSorted().map(([status, texts]) => [status, mostOf(texts)]));
}

function describeCaller(operation: Operation): string {
  const schemes = (operation.security ?? []).map((scheme) => Object.keys(scheme).join(' and '));
  if (schemes.length === 0) return 'none';
  const isOptional = schemes.includes('');
  const named = schemes.filter((scheme) => scheme !== '').map((scheme) => `\`${scheme}\``);
  return `${named.join(' or ')}${isOptional ? ', or none' : ''}`;
}

function describePrice({ micros, per }: { micros: number; per: string }): string {
  return `${micros / 10_000} ${micros === 10_000 ? 'cent' : 'cents'} per ${per}`;
}

function describeParameters(parameters: Parameter[]): string {
  const rows = parameters
    .filter(({ name }) => !COMMON_HEADERS.includes(name))
    .map(({ name, in: place, required, description, schema }) => [
      `\`${name}\``,
      place,
      describeType(schema),
      required ? 'yes' : '',
      description ?? schema.description ?? '',
    ]);
  if (rows.length === 0) return '';
  return `**Parameters**\n\n${table(['Name', 'In', 'Type', 'Required', 'Meaning'], rows)}`;
}

const json = (value: unknown): string => code('json', JSON.stringify(value, null, 2));

function describeContent(title: string, content: Content, hasRequired: boolean): string {
  return Object.entries(content)
    .map(([type, { schema, example }]) =>
      page(
        `**${title}** \`${type}\``,
        schema === undefined ? '' : describeBody(schema, hasRequired),
        example === undefined ? '' : json(example),
      ).trimEnd(),
    )
    .join('\n\n');
}

function describeReply(status: string, { description, content = {}, headers = {} }: Reply): string {
  const own = Object.entries(headers).filter(([name]) => !COMMON_HEADERS.includes(name));
  const title = `Reply ${status}`;
  return page(
    Object.keys(content).length === 0 ? `**${title}** ${paragraph(description)}` : '',
    describeContent(title, content, false),
    own.length === 0
      ? ''
      : table(
          ['Header', 'Meaning'],
          own.map(([name, header]) => [`\`${name}\``, header.description]),
        ),
  ).trimEnd();
}

/** Returns the error statuses of a route, with the texts that differ from the common ones. */
function describeErrors(operation: Operation, common: Map<string, string>): string {
  const statuses = Object.entries(operation.responses)
    .filter(([status]) => common.has(status))
    .map(([status, { description }]) =>
      common.get(status) === description ? status : `${status} (${description})`,
    );
  return statuses.length === 0 ? '' : paragraph(`**Errors** ${statuses.join(', ')}`);
}

function describeRoute({ request, operation }: Route, common: Map<string, string>): string {
  const { summary, description = '', deprecated, parameters = [], requestBody, responses } = operation;
  const price = operation['x-price'];
  return page(
    `## ${request}`,
    paragraph(`${summary}. ${description}${deprecated ? ' **Deprecated.**' : ''}`.trim()),
    `**Caller** ${describeCaller(operation)}${price ? `  \n**Price** ${describePrice(price)}` : ''}`,
    describeParameters(parameters),
    requestBody ? describeContent('Request', requestBody.content, true) : '',
    ...Object.entries(responses)
      .filter(([status]) => !common.has(status))
      .map(([status, reply]) => describeReply(status, reply)),
    describeErrors(operation, common),
  ).trimEnd();
}

function overview(name: string, document: OpenApi, routes: Route[], common: Map<string, string>): string {
  const { info, tags, components } = document;
  const schemes = Object.entries(components.securitySchemes).map(
    ([scheme, { description = '', name: header, scheme: type }]) => [
      `\`${scheme}\``,
      header === undefined ? `\`Authorization: ${type === 'bearer' ? 'Bearer …' : type}\`` : `\`${header}\``,
      description,
    ],
  );
  const headers = routes
    .flatMap(({ operation }) => operation.parameters ?? [])
    .filter(
      (one, at, all) =>
        COMMON_HEADERS.includes(one.name) && all.findIndex(({ name }) => name === one.name) === at,
    )
    .map((header) => [`\`${header.name}\``, header.description ?? '']);
  const list = tags.map(({ name: tag }) => {
    const own = routes.filter(({ operation }) => operation.tags[0] === tag);
    const rows = own.map(({ request, operation }) => [
      `[\`${request}\`](${name}/${tag}.md#${toAnchor(request)})`,
      operation.summary,
    ]);
    return `## ${capitalize(tag)}\n\n${table(['Route', 'Effect'], rows)}`;
  });
  return page(
    `# HTTP API: ${info.title}`,
    paragraph(
      `${info.description ?? ''} Version ${info.version}. This page and those per topic are made from the OpenAPI description.`,
    ),
    '## Credentials',
    table(['Name', 'Header', 'Value'], schemes),
    headers.length === 0 ? '' : `## Headers\n\n${table(['Header', 'Meaning'], headers)}`,
    '## Errors',
    'Every reply with a status of 400 or more has this body:',
    describeBody(components.schemas.Error ?? {}, false),
    table(['Status', 'Meaning'], [...common]),
    ...list,
  );
}

/** Returns the pages of an API by their paths: `<name>.md`, and `<name>/<tag>.md` per tag. */
export function renderApi(name: string, document: OpenApi): Map<string, string> {
  const routes = routesOf(document);
  const common = commonErrors(routes);
  const pages = new Map([[`${name}.md`, overview(name, document, routes, common)]]);
  for (const { name: tag } of document.tags) {
    const own = routes.filter(({ operation }) => operation.tags[0] === tag);
    const sections = own.map((route) => describeRoute(route, common));
    const title = `# ${document.info.title}: ${capitalize(tag)}`;
    const text = `[Credentials, headers and errors](../${name}.md) are the same for all routes.`;
    pages.set(`${name}/${tag}.md`, page(title, text, ...sections));
  }
  return pages;
}
