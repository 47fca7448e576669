/** The command line of the table of commands. */
import { safeLines } from '@latchkey/command/text';
import { Argument, Option, Command as Program } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { type Command, type Field, kebab, type Topic } from './command.ts';
import { parseUrl } from './parse.ts';
import { Session, type SharedOptions } from './session.ts';
import { account } from './topics/account.ts';
import { actions } from './topics/actions.ts';
import { completion } from './topics/completion.ts';
import { credit } from './topics/credit.ts';
import { dev } from './topics/dev.ts';
import { explain } from './topics/explain.ts';
import { groups } from './topics/groups.ts';
import { init } from './topics/init.ts';
import { keys } from './topics/keys.ts';
import { login, logout, profiles } from './topics/login.ts';
import { migrate } from './topics/migrate.ts';
import { policy } from './topics/policy.ts';
import { runs } from './topics/runs.ts';
import { secrets } from './topics/secrets.ts';
import { transactions } from './topics/transactions.ts';
import { triggers } from './topics/triggers.ts';
import { wallets } from './topics/wallets.ts';

const topics: Record<string, Topic> = {
  init,
  login,
  logout,
  profiles,
  account,
  keys,
  groups,
  wallets,
  actions,
  runs,
  explain,
  policy,
  secrets,
  transactions,
  credit,
  triggers,
  migrate,
  dev,
};

/** Collects the values of a repeatable option. */
function parserOf({ parse = (text) => text, many }: Field) {
  if (!many) return (text: string): unknown => parse(text);
  return (text: string, earlier: unknown): unknown[] => [
    ...(Array.isArray(earlier) ? earlier : []),
    parse(text),
  ];
}

function toOption(name: string, field: Field): Option {
  const value = field.value === undefined ? '' : ` <${field.value}>`;
  const option = new Option(`--${kebab(name)}${value}`, field.help);
  if (field.value === undefined) return option;
  option.argParser(parserOf(field));
  return option.makeOptionMandatory(field.required ?? false);
}

function toArgument(name: string, field: Field): Argument {
  const dots = field.many ? '...' : '';
  const argument = new Argument(field.required ? `<${name}${dots}>` : `[${name}${dots}]`, field.help);
  return argument.argParser(parserOf(field));
}

function urlOption(flags: string, help: string, variable: string): Option {
  const option = new Option(flags, help).env(variable);
  return option.argParser((text) => parseUrl(text, `${option.long} or ${variable}: `));
}

/** Sets the exit code after the command has printed. */
type OnExit = (code: number) => void;

function addCommand(parent: Program, name: string, definition: Command, onExit: OnExit): void {
  const { summary, arguments: taken = {}, options = {}, examples, show, exitCode } = definition;
  const program = parent
    .command(name)
    .description(summary)
    .summary(summary.replace(/[;:].*/s, ''));
  for (const [argument, field] of Object.entries(taken))
    program.addArgument(toArgument(kebab(argument), field));
  for (const [option, field] of Object.entries(options)) program.addOption(toOption(option, field));
  program.addHelpText('after', `\nExamples:\n${examples.map((line) => `  latchkey ${line}`).join('\n')}`);
  program.action(async () => {
    const given: Record<string, unknown> = program.opts();
    for (const [index, argument] of Object.keys(taken).entries())
      given[argument] = program.processedArgs[index];
    for (const [field, { many }] of Object.entries({ ...options, ...taken })) if (many) given[field] ??= [];
    await using session = new Session(program.optsWithGlobals<SharedOptions>());
    const value = await definition.run(session, given as never);
    if (value !== undefined) session.print(value, show?.(value) ?? '');
    onExit(exitCode?.(value) ?? 0);
  });
}

/** Returns the program. Its errors are thrown. */
export function createProgram(onExit: OnExit): Program {
  const program = new Program('latchkey')
    .description('Accounts, actions, runs and triggers of Latchkey.')
    .version(manifest.version)
    .option('--json', 'prints the result as JSON')
    .addOption(
      new Option('--profile <name>', 'profile to use (default: that of latchkey profiles use)').env(
        'LATCHKEY_PROFILE',
      ),
    )
    .addOption(
      urlOption(
        '--url <url>',
        'URL of the relayer (default: that of the profile, otherwise of the local stack)',
        'LATCHKEY_URL',
      ),
    )
    .addOption(
      urlOption(
        '--triggers-url <url>',
        'URL of the trigger service (default: that of the profile)',
        'LATCHKEY_TRIGGERS_URL',
      ),
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 success, 1 failure, 2 mistake in the command line, 3 not permitted.\nExamples of a command: latchkey <topic> <command> --help',
    );
  const all: Record<string, Topic> = { ...topics, completion: completion(() => program) };
  for (const [name, topic] of Object.entries(all)) {
    if (!('commands' in topic)) {
      addCommand(program, name, topic, onExit);
      continue;
    }
    const parent = program.command(name).description(topic.summary);
    for (const [own, definition] of Object.entries(topic.commands))
      addCommand(parent, own, definition, onExit);
  }
  configure(program);
  return program;
}

function configure(program: Program): void {
  program
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void process.stdout.write(text),
      writeErr: (text) => void process.stderr.write(safeLines(text)),
      outputError: (text, writeErr) => writeErr(text),
    })
    .showHelpAfterError('(add --help for arguments and options)');
  for (const command of program.commands) configure(command);
}
