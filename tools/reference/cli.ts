/** The page of the command line, made of its table of commands. */
import { code, page, paragraph, table } from './markdown.ts';

type Option = { flags: string; description: string; envVar?: string | undefined; hidden: boolean };
type Argument = { name: () => string; description: string };
/** The part of a command of commander that the page shows. */
export type Program = {
  name: () => string;
  description: () => string;
  usage: () => string;
  options: readonly Option[];
  registeredArguments: readonly Argument[];
  commands: readonly Program[];
  /** Commander adds the texts of `addHelpText` by events only. */
  emit: (
    event: string,
    context: { error: boolean; command: unknown; write: (text: string) => void },
  ) => boolean;
};

/** Returns the examples that the help of a command ends with. */
function examplesOf(command: Program): string {
  let text = '';
  command.emit('afterHelp', {
    error: false,
    command,
    write: (part) => {
      text += part;
    },
  });
  return text
    .split('\n')
    .filter((line) => line.startsWith('  latchkey'))
    .map((line) => line.trim())
    .join('\n');
}

function describeOptions(options: readonly Option[]): string {
  const rows = options
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description, envVar }) => [
      `\`${flags}\``,
      `${description}${envVar === undefined ? '' : `. Environment: \`${envVar}\``}`,
    ]);
  return rows.length === 0 ? '' : table(['Option', 'Meaning'], rows);
}

function describeCommand(command: Program, names: string): string {
  const rows = command.registeredArguments.map((argument) => [
    `\`${argument.name()}\``,
    argument.description,
  ]);
  const examples = examplesOf(command);
  return page(
    `${names.includes(' ') ? '###' : '##'} ${names}`,
    paragraph(command.description()),
    code('text', `latchkey ${names} ${command.usage()}`),
    rows.length === 0 ? '' : table(['Argument', 'Meaning'], rows),
    describeOptions(command.options),
    examples === '' ? '' : code('sh', examples),
  ).trimEnd();
}

function describeTopic(topic: Program): string[] {
  if (topic.commands.length === 0) return [describeCommand(topic, topic.name())];
  const title = page(`## ${topic.name()}`, paragraph(topic.description())).trimEnd();
  return [
    title,
    ...topic.commands.map((command) => describeCommand(command, `${topic.name()} ${command.name()}`)),
  ];
}

/** Returns the page of every command. */
export function renderCli(program: Program): string {
  return page(
    '# Commands of latchkey',
    'The help of every command. [Command line](../cli.md) describes how to install it, profiles, output and exit codes.',
    '## Options of every command',
    describeOptions(program.options),
    ...program.commands.flatMap(describeTopic),
  );
}
