/** Completion in shells: the script asks this program for the words. */
import type { Command as Program } from 'commander';
import { type Command, command } from '../command.ts';
import { oneOf } from '../parse.ts';
import { readProfiles } from '../profiles.ts';

const parseShell = oneOf('bash', 'zsh', 'fish', 'words');

const scripts = {
  bash: `_latchkey() {
  local IFS=$'\\n'
  COMPREPLY=($(latchkey completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _latchkey latchkey`,
  zsh: `#compdef latchkey
_latchkey() {
  local -a words_
  words_=("\${(@f)$(latchkey completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a words_
  _files
}
compdef _latchkey latchkey`,
  fish: `complete -c latchkey -a '(latchkey completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};

/** Returns the words that can stand in the place of the last of the given ones. */
async function findWords(program: Program, given: readonly string[]): Promise<string[]> {
  const last = given.at(-1) ?? '';
  const before = given.slice(0, -1);
  if (before.at(-1) === '--profile') return Object.keys((await readProfiles()).profiles);
  let current = program;
  for (const word of before) current = current.commands.find((one) => one.name() === word) ?? current;
  const options = [...new Set([current, program])].flatMap((one) =>
    one.options.map(({ long }) => long ?? ''),
  );
  const names = last.startsWith('-') ? ['--help', ...options] : current.commands.map((one) => one.name());
  return names.filter((name) => name.startsWith(last));
}

export function completion(program: () => Program): Command {
  return command({
    summary: 'prints a script that completes commands and options in a shell',
    arguments: {
      shell: { required: true, parse: parseShell, help: 'bash, zsh or fish' },
      words: { many: true, help: 'words of a command line, for the scripts' },
    },
    examples: ['completion bash >> ~/.bashrc', 'completion fish > ~/.config/fish/completions/latchkey.fish'],
    run: async (_session, { shell, words }) =>
      shell === 'words' ? (await findWords(program(), words)).join('\n') : scripts[shell],
    show: (text) => text,
  });
}
