// Shell completion, generated from the command declarations.
import { callablesOf, type CommandDeclaration, type FlagDeclaration } from "./declaration.ts";

export type Shell = "bash" | "zsh" | "fish";

interface CommandFlags {
  readonly command: CommandDeclaration;
  readonly flags: readonly FlagDeclaration[];
}

export async function completionScript(shell: Shell, commands: readonly CommandDeclaration[]): Promise<string> {
  const all: CommandFlags[] = [];
  for (const command of commands) {
    const flags = [...callablesOf(command).flatMap((callable) => callable.flags), ...((await command.moreFlags?.()) ?? [])];
    // The actions of a command share flags.
    all.push({ command, flags: [...new Map(flags.map((flag) => [flag.name, flag])).values()] });
  }
  return { bash, zsh, fish }[shell](all);
}

const longFlag = ({ name }: FlagDeclaration): string => `--${name}`;
const valuesOf = ({ command }: CommandFlags): readonly string[] =>
  command.actions?.map(({ name }) => name) ?? command.arguments?.find(({ values }) => values !== undefined)?.values ?? [];

function bash(all: readonly CommandFlags[]): string {
  const cases = all.map((entry) => {
    const choices = entry.flags
      .filter(({ values }) => values !== undefined)
      .map((flag) => `      ${longFlag(flag)}) COMPREPLY=($(compgen -W "${flag.values?.join(" ")}" -- "$word")); return;;`);
    return [
      `  ${entry.command.name})`,
      ...(choices.length === 0 ? [] : ['    case "$before" in', ...choices, "    esac"]),
      `    COMPREPLY=($(compgen -W "${[...entry.flags.map(longFlag), "--help", ...valuesOf(entry)].join(" ")}" -- "$word"))`,
      `    ${entry.command.actions === undefined ? "" : '[ "$COMP_CWORD" -eq 2 ] || '}[[ "$word" == -* ]] || COMPREPLY+=($(compgen -f -- "$word"))`,
      "    ;;",
    ].join("\n");
  });
  return `# bash completion for sluice. Add to ~/.bashrc: source <(sluice completion bash)
_sluice() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...all.map(({ command }) => command.name), "help", "--help"].join(" ")}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
  help) COMPREPLY=($(compgen -W "${all.map(({ command }) => command.name).join(" ")}" -- "$word")) ;;
${cases.join("\n")}
  esac
}
complete -o filenames -F _sluice sluice
`;
}

const stripSpecial = (text: string): string => text.replaceAll("'", "").replaceAll(/[[\]:]/g, " ");

function zsh(all: readonly CommandFlags[]): string {
  const cases = all.map(({ command, flags }) => {
    const options = flags.map(
      (flag) =>
        `      '--${flag.name}[${stripSpecial(flag.doc)}]${flag.values !== undefined ? `:${flag.name}:(${flag.values.join(" ")})` : flag.value !== undefined ? `:${flag.name}:_files` : ""}'`,
    );
    const values = valuesOf({ command, flags });
    return `    ${command.name})\n    _arguments \\\n${[...options, "      '--help[Show help]'", `      '*:${values.length > 0 ? `value:(${values.join(" ")})` : "file:_files"}'`].join(" \\\n")}\n    ;;`;
  });
  return `#compdef sluice
# zsh completion for sluice. Add to ~/.zshrc: source <(sluice completion zsh)
_sluice() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(
${all.map(({ command }) => `      '${command.name}:${stripSpecial(command.summary)}'`).join("\n")}
    )
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join("\n")}
  esac
}
compdef _sluice sluice
`;
}

function fish(all: readonly CommandFlags[]): string {
  const text = (value: string): string => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = all.flatMap(({ command, flags }) => [
    `complete -c sluice -n __fish_use_subcommand -f -a ${command.name} -d ${text(command.summary)}`,
    ...flags.map((flag) => {
      const values = flag.values === undefined ? (flag.value === undefined ? "" : " -r") : ` -x -a ${text(flag.values.join(" "))}`;
      return `complete -c sluice -n '__fish_seen_subcommand_from ${command.name}' -l ${flag.name}${flag.short === undefined ? "" : ` -s ${flag.short}`}${values} -d ${text(flag.doc)}`;
    }),
    ...valuesOf({ command, flags }).map((value) => `complete -c sluice -n '__fish_seen_subcommand_from ${command.name}' -f -a ${value}`),
  ]);
  return `# fish completion for sluice. Save as ~/.config/fish/completions/sluice.fish\n${lines.join("\n")}\n`;
}
