/** The pages that are made from sources. docs/site.test.ts builds the site with them. */
import { expect, test } from 'vitest';
import { type Program, renderCli } from './cli.ts';
import { renderContract } from './contract.ts';
import { paragraph, table } from './markdown.ts';
import { type OpenApi, renderApi } from './openapi.ts';
import { describeBody, describeType } from './schema.ts';

test('text cannot open a tag, an expression of Vue or a cell of a table; code stays', () => {
  expect(paragraph('a <script> {{ x }} `<b> {{ y }}`')).toBe('a &lt;script> &#123;&#123; x }} `<b> {{ y }}`');
  expect(table(['A'], [['x | y\n<z>']])).toBe('| A |\n| --- |\n| x \\| y &lt;z> |');
});

test.each([
  [{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, 'integer'],
  [{ type: 'integer', minimum: 1, maximum: 50 }, 'integer, 1 to 50'],
  [{ type: 'string', maxLength: 3 }, 'string, at most 3 characters'],
  [{ type: 'string', format: 'uuid' }, 'string (uuid)'],
  [{ enum: ['a', 'b'] }, '`"a"`, `"b"`'],
  [{ anyOf: [{ type: 'null' }, { type: 'string' }] }, 'string or null'],
  [{ type: 'array', items: { type: 'boolean' }, maxItems: 2 }, 'array of boolean, at most 2'],
])('%j is “%s”', (schema, text) => {
  expect(describeType(schema)).toBe(text);
});

test('fields of inner objects and of arrays have their path', () => {
  const inner = { properties: { b: { type: 'string', description: 'Text.' } }, required: ['b'] };
  const schema = {
    type: 'object',
    properties: { a: { type: 'object', ...inner }, list: { type: 'array', items: inner } },
  };
  const names = [...describeBody(schema, true).matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
  expect(names).toEqual(['a', 'a.b', 'list', 'list[].b']);
});

test('a field that differs between the forms of a body is there once, with its types', () => {
  const form = (kind: string, config: object) => ({ properties: { kind: { const: kind }, config } });
  const schema = { oneOf: [form('x', { type: 'object' }), form('y', { type: 'null' })] };
  expect(describeBody(schema, false)).toContain(
    '| `kind` | `"x"` or `"y"` |  |\n| `config` | object or null |  |',
  );
});

const failure = (description: string) => ({ description });
const document: OpenApi = {
  info: { title: 'Shop', version: '1' },
  tags: [{ name: 'small-things' }],
  components: { schemas: {}, securitySchemes: { Key: { name: 'X-Key', description: 'A key.' } } },
  paths: {
    '/thing/{id}': {
      get: {
        tags: ['small-things'],
        summary: 'Returns a thing',
        security: [{ Key: [] }],
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' }, description: 'Once.' },
        ],
        'x-price': { micros: 10_000, per: 'call' },
        responses: {
          200: {
            description: 'Success',
            content: { 'application/json': { schema: { type: 'boolean' }, example: true } },
          },
          404: failure('Not found'),
        },
      },
      delete: { tags: ['small-things'], summary: 'Removes it', responses: { 404: failure('Not found') } },
      put: { tags: ['small-things'], summary: 'Sets it', responses: { 404: failure('Gone') } },
    },
  },
};

test('an API has an overview and a page per tag, with a section per route', () => {
  const pages = renderApi('shop', document);
  expect([...pages.keys()]).toEqual(['shop.md', 'shop/small-things.md']);
  const overview = pages.get('shop.md') ?? '';
  expect(overview).toContain('[`GET /thing/{id}`](shop/small-things.md#get-thingid)');
  expect(overview).toContain('| `Idempotency-Key` | Once. |');
  expect(overview).toContain('| 404 | Not found |');
  const topic = pages.get('shop/small-things.md') ?? '';
  expect(topic).toContain('# Shop: Small things');
  expect(topic).toContain(
    '## GET /thing/{id}\n\nReturns a thing.\n\n**Caller** `Key`  \n**Price** 1 cent per call',
  );
  expect(topic).toContain('| `id` | path | string | yes |  |');
  expect(topic).not.toContain('Idempotency-Key');
  expect(topic).toContain(
    '**Reply 200** `application/json`\n\nA value of the type boolean.\n\n```json\ntrue\n```',
  );
  // The text of a status only where it is not the usual one.
  expect(topic).toContain('**Errors** 404\n');
  expect(topic).toContain('**Errors** 404 (Gone)');
});

test('a contract has its declarations with their NatSpec', () => {
  const source = `interface IThing {
    /// @notice Adds a thing.
    /// - once
    /// - for good
    /// @param id At least 1.
    function add(
        uint256 id
    ) external;
    /// @notice No such thing.
    error Missing(uint256 id);
}`;
  const text = renderContract(new Map([['IThing.sol', source]]));
  expect(text).toContain('#### add\n\nAdds a thing.\n- once\n- for good\n\n- `id`: At least 1.\n');
  expect(text).toContain('```solidity\nfunction add(\n    uint256 id\n) external;\n```');
  expect(text).toContain(
    '### Errors of IThing\n\nNo such thing.\n\n```solidity\nerror Missing(uint256 id);\n```',
  );
  expect(() => renderContract(new Map([['IThing.sol', 'interface {']]))).toThrow(/Expected identifier/);
});

test('commands have their arguments, options and examples', () => {
  const command = (name: string, commands: Program[], examples = ''): Program => ({
    name: () => name,
    description: () => `${name} things`,
    usage: () => '[options] <id>',
    options: [{ flags: '--all', description: 'all of them', envVar: 'ALL', hidden: false }],
    registeredArguments: commands.length === 0 ? [{ name: () => 'id', description: 'of a thing' }] : [],
    commands,
    emit: (_event, { write }) => {
      write(examples);
      return true;
    },
  });
  const remove = command('remove', [], '\nExamples:\n  latchkey things remove 7');
  const text = renderCli(command('latchkey', [command('things', [remove])]));
  expect(text).toContain(
    '### things remove\n\nremove things\n\n```text\nlatchkey things remove [options] <id>\n```',
  );
  expect(text).toContain('| `id` | of a thing |');
  expect(text).toContain('| `--all` | all of them. Environment: `ALL` |');
  expect(text).toContain('```sh\nlatchkey things remove 7\n```');
});
