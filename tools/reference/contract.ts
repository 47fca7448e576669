/** The page of the contract, made of the interfaces: the declarations as they are written, with their NatSpec. */
import { createRequire } from 'node:module';
import { code, page, paragraph } from './markdown.ts';

type Node = {
  nodeType: string;
  name?: string;
  src: string;
  documentation?: { text: string };
  nodes?: Node[];
};

const HEADINGS: Record<string, string> = {
  StructDefinition: 'Structs',
  EnumDefinition: 'Enums',
  FunctionDefinition: 'Functions',
  EventDefinition: 'Events',
  ErrorDefinition: 'Errors',
};

/** Joins the lines of a paragraph; lines of a list stay. */
const joinLines = (text: string): string =>
  text
    .trim()
    .replaceAll(/ *\n *(?=[^\s-])/g, ' ')
    .replaceAll(/^ +/gm, '');

/** Returns the text of a NatSpec comment: `@notice` and `@dev` as paragraphs, `@param` and `@return` as a list. */
function describe(documentation: string): string {
  const texts: string[] = [];
  const values: string[] = [];
  for (const part of documentation.split(/^ *@(?=[a-z]+ )/m)) {
    const [, tag = 'notice', text = ''] = /^(?:(title|notice|dev|param|return) )?(.*)$/s.exec(part) ?? [];
    const [, name = '', meaning = ''] = /^(\w+) (.*)$/s.exec(text) ?? [];
    if (tag === 'param' || tag === 'return') values.push(`- \`${name}\`: ${paragraph(joinLines(meaning))}`);
    else if (tag !== 'title') texts.push(paragraph(joinLines(text)));
  }
  return page(...texts, values.join('\n')).trimEnd();
}

/** Returns the source of a declaration without the indentation of the interface. */
function sourceOf(node: Node, source: Buffer): string {
  const [start = 0, length = 0] = node.src.split(':').map(Number);
  return source
    .subarray(start, start + length)
    .toString()
    .replaceAll('\n    ', '\n');
}

function describeInterface(node: Node, source: Buffer): string {
  const sections = Object.entries(HEADINGS).flatMap(([type, heading]) => {
    const members = (node.nodes ?? []).filter(({ nodeType }) => nodeType === type);
    if (members.length === 0) return [];
    const items = members.map((member) =>
      page(
        type === 'FunctionDefinition' ? `#### ${member.name}` : '',
        describe(member.documentation?.text ?? ''),
        code('solidity', sourceOf(member, source)),
      ).trimEnd(),
    );
    return [`### ${heading} of ${node.name}`, ...items];
  });
  return page(`## ${node.name}`, describe(node.documentation?.text ?? ''), ...sections).trimEnd();
}

/** Returns the page of the interfaces, whose sources are given by their file names. */
export function renderContract(sources: Map<string, string>): string {
  const solc = createRequire(import.meta.url)('solc') as { compile: (input: string) => string };
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: Object.fromEntries([...sources].map(([name, content]) => [name, { content }])),
        settings: { stopAfter: 'parsing', outputSelection: { '*': { '': ['ast'] } } },
      }),
    ),
  ) as { errors?: { formattedMessage: string; severity: string }[]; sources: Record<string, { ast: Node }> };
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const interfaces = [...sources].flatMap(([name, source]) =>
    (output.sources[name]?.ast.nodes ?? [])
      .filter(({ nodeType }) => nodeType === 'ContractDefinition')
      .map((node) => describeInterface(node, Buffer.from(source))),
  );
  return page(
    '# Interface of AccountConfig',
    'The interfaces of the contract, as `contracts/interfaces` declares them. [AccountConfig](../contract.md) describes the contract as a whole.',
    ...interfaces,
  );
}
