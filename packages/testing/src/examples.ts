/** Checks the examples of API descriptions; each service applies it to its own routes. */

import type { AnyRoute } from '@latchkey/http';
import { expect, test } from 'vitest';
import { z } from 'zod';

type Content = Record<string, { example?: unknown }>;
type Described = {
  paths: Record<
    string,
    Record<string, { requestBody?: { content: Content }; responses: Record<string, { content: Content }> }>
  >;
};

/** Defines one test per POST: the description has a request and a reply, and both match the schemas of the route. */
export function describeExamples(routes: readonly AnyRoute[], describedBy: () => Promise<unknown>): void {
  test.each(routes.filter(({ method }) => method === 'POST').map((route) => [route.path, route] as const))(
    'POST %s has a request and a reply example that match its schemas',
    async (path, route) => {
      const { example, body, reply, rawBody } = route;
      if (!example) throw new Error(`${path} has no example: add one to its route`);
      expect(z.safeDecode(reply, example.reply as never).error?.issues).toBeUndefined();
      if (body) expect(z.safeDecode(body, example.body as never).error?.issues).toBeUndefined();

      const { paths } = (await describedBy()) as Described;
      const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.post;
      const shown = Object.values(operation?.requestBody?.content ?? {});
      expect(shown.map((content) => content.example)).toEqual(
        body ? [rawBody ? String(example.body) : example.body] : [],
      );
      const content = operation?.responses[String(route.status ?? 200)]?.content['application/json'];
      expect(content?.example).toEqual(example.reply);
    },
  );
}
