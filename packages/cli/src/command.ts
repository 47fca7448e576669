/** The table of commands: what a command takes, does and shows. */
import { oneLine } from '@latchkey/command/text';
import { dryRun, yes } from './options.ts';
import type { Client, Session } from './session.ts';
import { cents } from './text.ts';

/** An argument or an option. */
export type Field = {
  help: string;
  /** Name of the value in the help. An option without one is a flag. */
  value?: string;
  /** Throws a `UsageError`. Absent: text. */
  parse?: (text: string) => unknown;
  many?: true;
  required?: true;
};
export type Fields = { readonly [name: string]: Field };

type Parsed<F> = F extends { parse: (text: string) => infer Value } ? Value : string;
type Taken<F> = F extends { many: true }
  ? Parsed<F>[]
  : F extends { required: true }
    ? Parsed<F>
    : Parsed<F> | undefined;
type Input<Arguments extends Fields, Options extends Fields> = {
  [name in keyof Arguments]: Taken<Arguments[name]>;
} & { [name in keyof Options]: Options[name] extends { value: string } ? Taken<Options[name]> : boolean };

type Definition<Arguments extends Fields, Options extends Fields, Value> = {
  summary: string;
  /** In the order of the command line. */
  arguments?: Arguments;
  /** By their names in camel case. */
  options?: Options;
  /** Command lines without `latchkey`. */
  examples: string[];
  run: (session: Session, input: Input<Arguments, Options>) => Promise<Value>;
  /** Returns the text for people. Absent: nothing is printed of it. */
  show?: (value: Value) => string;
  /** Default 0. */
  exitCode?: (value: Value) => number;
};

export type Command = Definition<Fields, Fields, unknown>;
/** Commands of a topic by their names; with the name of the topic, a command of its own. */
export type Topic = { summary: string; commands: { readonly [name: string]: Command } } | Command;

/** Returns a command with the types of its definition checked. */
export function command<const Arguments extends Fields, const Options extends Fields, Value>(
  definition: Definition<Arguments, Options, Value>,
): Command {
  return definition as unknown as Command;
}

/** The part of a prepared write that is shown. */
type PreparedWrite<Result> = {
  changes: readonly string[];
  priceMicros?: bigint;
  send: () => Promise<Result>;
};

/** Changes that were not sent. */
class Preview {
  readonly changes: readonly string[];
  readonly priceMicros: bigint | undefined;
  constructor({ changes, priceMicros }: PreparedWrite<unknown>) {
    this.changes = changes;
    this.priceMicros = priceMicros;
  }
}

/** Returns the changes and the price, a line each. */
export function showChanges(changes: readonly string[], priceMicros: bigint | undefined): string {
  const price = priceMicros === undefined ? [] : [`Price: ${cents(priceMicros)}`];
  return [...changes.map((change) => oneLine(change)), ...price].join('\n');
}

type WriteDefinition<Arguments extends Fields, Options extends Fields, Result, Shown> = Omit<
  Definition<Arguments, Options, Shown>,
  'run' | 'exitCode'
> & {
  prepare: (
    client: Client,
    input: Input<Arguments, Options>,
    session: Session,
  ) => Promise<PreparedWrite<Result>>;
  /** Asks for a confirmation: the change is irreversible. */
  asks?: true;
  /** Returns the value that is printed. Default: the result. */
  after?: (session: Session, result: Result, input: Input<Arguments, Options>) => Promise<Shown>;
};

/** Returns a command that writes: with `--dry-run` it only shows the changes. */
export function write<const Arguments extends Fields, const Options extends Fields, Result, Shown = Result>({
  prepare,
  asks,
  after,
  show,
  ...definition
}: WriteDefinition<Arguments, Options, Result, Shown>): Command {
  return command({
    ...definition,
    options: { ...definition.options, dryRun, ...(asks && { yes }) },
    run: async (session, taken) => {
      const input = taken as Input<Arguments, Options> & { dryRun: boolean; yes?: boolean };
      const prepared = await prepare(await session.client(), input, session);
      if (input.dryRun) return new Preview(prepared);
      if (asks && !input.yes) await session.confirm(showChanges(prepared.changes, prepared.priceMicros));
      const result = await prepared.send();
      return after ? after(session, result, input) : result;
    },
    show: (value) => {
      if (value instanceof Preview) return showChanges(value.changes, value.priceMicros);
      return show?.(value as Shown) ?? '';
    },
  });
}

/** A page of a list. */
type Page<Item> = { items: readonly Item[]; nextPage?: object | undefined };

/** Returns the text of a page, and the options of the next one. */
export function showPage<Item>(page: Page<Item>, show: (items: readonly Item[]) => string): string {
  if (page.nextPage === undefined) return show(page.items);
  const cursors = ['pageNumber', 'before', 'offset'];
  const next = Object.entries(page.nextPage).filter(([name]) => cursors.includes(name));
  const options = next.map(([name, value]) => `--${kebab(name)} ${value}`).join(' ');
  return `${show(page.items)}\n\nMore: add ${options}`;
}

/** Returns the name of an option on the command line. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
