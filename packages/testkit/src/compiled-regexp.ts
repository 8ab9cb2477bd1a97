// A backtracking matcher for JavaScript's regular expressions that counts its steps. It tries the same alternatives in the same order as V8.

type Instruction =
  | { readonly op: "character"; readonly accepts: (character: string) => boolean }
  | { readonly op: "split"; readonly first: number; readonly second: number }
  | { readonly op: "jump"; readonly to: number }
  | { readonly op: "save"; readonly register: number }
  | { readonly op: "clear"; readonly from: number; readonly to: number }
  /** Fails when the position is that in the register: an iteration that matched nothing would be repeated forever. */
  | { readonly op: "advanced"; readonly register: number }
  | { readonly op: "assert"; readonly holds: (text: string, at: number) => boolean }
  | { readonly op: "reference"; readonly group: number }
  | { readonly op: "look"; readonly end: number; readonly isNegative: boolean }
  | { readonly op: "end" };

/** Appends the instructions of a part of the pattern. */
type Emit = (program: Instruction[]) => void;

interface Part {
  readonly emit: Emit;
  /** Always consumes exactly one character. */
  readonly isCharacter: boolean;
}

export class TooManySteps extends Error {}

export class StepCounter {
  steps = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(steps: number): void {
    this.steps += steps;
    if (this.steps > this.#limit) throw new TooManySteps(`more than ${this.#limit} steps`);
  }
}

export interface CompiledRegExp {
  /** Where the first match from this position on begins and ends. */
  exec(text: string, from: number, counter: StepCounter): readonly [start: number, end: number] | undefined;
}

const nativeTest = (pattern: RegExp, exec: typeof RegExp.prototype.exec) => {
  const known = new Map<string, boolean>();
  return (character: string): boolean => {
    let isAccepted = known.get(character);
    if (isAccepted === undefined) known.set(character, (isAccepted = exec.call(pattern, character) !== null));
    return isAccepted;
  };
};
const nativeExec = RegExp.prototype.exec;
const isWord = (character: string | undefined): boolean => character !== undefined && nativeExec.call(/^\w$/, character) !== null;
const isLineEnd = (character: string | undefined): boolean => character !== undefined && "\n\r\u2028\u2029".split("").some((end) => end === character);

/** Look-behind, `\k<name>` and nested classes are not supported. */
export function compileRegExp(source: string, flags: string): CompiledRegExp {
  const all = flags.split("");
  const has = (flag: string): boolean => all.some((each) => each === flag);
  const parser = new Parser(source, { isMultiline: has("m"), characterFlags: all.filter((flag) => flag === "i" || flag === "u" || flag === "s").join("") });
  const program: Instruction[] = [];
  parser.parse().emit(program);
  program.push({ op: "end" });
  const matcher = new Matcher(program, { isUnicode: has("u"), ignoresCase: has("i") });
  return {
    exec(text, from, counter) {
      matcher.counter = counter;
      const last = has("y") ? Math.min(from, text.length) : text.length;
      for (let start = from; start <= last; start++) {
        const end = matcher.run(0, text, start);
        if (end >= 0) return [start, end];
      }
      return undefined;
    },
  };
}

class Matcher {
  counter = new StepCounter(0);
  readonly #program: readonly Instruction[];
  readonly #options: { readonly isUnicode: boolean; readonly ignoresCase: boolean };
  #registers: (number | undefined)[] = [];

  constructor(program: readonly Instruction[], options: { readonly isUnicode: boolean; readonly ignoresCase: boolean }) {
    this.#program = program;
    this.#options = options;
  }

  /** The end of the match that begins here; -1 when there is none. */
  run(first: number, text: string, start: number): number {
    if (first === 0) this.#registers = [];
    /** Triples: an instruction and a position to continue at, or -1 with a register and its value to restore. */
    const undo: (number | undefined)[] = [];
    let at = start;
    let next: number | undefined = first;
    const set = (register: number, value: number | undefined): void => {
      undo.push(-1, register, this.#registers[register]);
      this.#registers[register] = value;
    };
    const backtrack = (): void => {
      for (next = undefined; undo.length > 0 && next === undefined;) {
        const [value, where, kind] = [undo.pop(), undo.pop() as number, undo.pop() as number];
        if (kind === -1) this.#registers[where] = value;
        else [next, at] = [kind, where];
      }
    };
    while (next !== undefined) {
      this.counter.add(1);
      const instruction: Instruction = this.#program[next] as Instruction;
      let isMatch = true;
      next++;
      if (instruction.op === "end") return at;
      if (instruction.op === "character") {
        const character = this.#characterAt(text, at);
        isMatch = character !== undefined && instruction.accepts(character);
        if (isMatch) at += (character as string).length;
      } else if (instruction.op === "split") {
        undo.push(instruction.second, at, undefined);
        next = instruction.first;
      } else if (instruction.op === "jump") next = instruction.to;
      else if (instruction.op === "save") set(instruction.register, at);
      else if (instruction.op === "clear") for (let register = instruction.from; register < instruction.to; register++) set(register, undefined);
      else if (instruction.op === "advanced") isMatch = this.#registers[instruction.register] !== at;
      else if (instruction.op === "assert") isMatch = instruction.holds(text, at);
      else if (instruction.op === "reference") {
        const end = this.#afterReference(instruction.group, text, at);
        isMatch = end !== undefined;
        at = end ?? at;
      } else {
        isMatch = this.run(next, text, at) >= 0 !== instruction.isNegative;
        next = instruction.end;
      }
      if (!isMatch) backtrack();
    }
    return -1;
  }

  #characterAt(text: string, at: number): string | undefined {
    if (at >= text.length) return undefined;
    return this.#options.isUnicode ? String.fromCodePoint(text.codePointAt(at) as number) : text[at];
  }

  #afterReference(group: number, text: string, at: number): number | undefined {
    const [from, to] = [this.#registers[2 * group], this.#registers[2 * group + 1]];
    if (from === undefined || to === undefined) return at;
    const [referenced, found] = [text.slice(from, to), text.slice(at, at + to - from)];
    this.counter.add(referenced.length);
    const isEqual = this.#options.ignoresCase ? referenced.toLowerCase() === found.toLowerCase() : referenced === found;
    return isEqual ? at + referenced.length : undefined;
  }
}

class Parser {
  readonly #source: string;
  readonly #isMultiline: boolean;
  readonly #characterFlags: string;
  #at = 0;
  #groups = 0;
  /** Registers of repetitions come after those of any group. */
  #registers = 2_000;

  constructor(source: string, { isMultiline, characterFlags }: { readonly isMultiline: boolean; readonly characterFlags: string }) {
    this.#source = source;
    this.#isMultiline = isMultiline;
    this.#characterFlags = characterFlags;
  }

  parse(): Part {
    const part = this.#alternatives();
    if (this.#at < this.#source.length) this.#unsupported();
    return part;
  }

  #alternatives(): Part {
    const all = [this.#sequence()];
    while (this.#take("|")) all.push(this.#sequence());
    return all.length === 1 ? (all[0] as Part) : { emit: alternativesOf(all), isCharacter: all.every(({ isCharacter }) => isCharacter) };
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#source.length && !this.#sees("|") && !this.#sees(")")) parts.push(this.#repeated());
    return { emit: (program) => parts.forEach(({ emit }) => emit(program)), isCharacter: parts.length === 1 && parts[0]?.isCharacter === true };
  }

  #repeated(): Part {
    const firstGroup = this.#groups + 1;
    const part = this.#single();
    const bounds = this.#bounds();
    if (bounds === undefined) return part;
    const isLazy = this.#take("?");
    const groups = [2 * firstGroup, 2 * this.#groups + 2] as const;
    return { emit: repetitionOf(part, { ...bounds, isLazy, groups, register: this.#registers++ }), isCharacter: false };
  }

  #bounds(): { readonly min: number; readonly max: number } | undefined {
    if (this.#take("*")) return { min: 0, max: Infinity };
    if (this.#take("+")) return { min: 1, max: Infinity };
    if (this.#take("?")) return { min: 0, max: 1 };
    const [text, min, comma, max] = nativeExec.call(/^\{(\d+)(,?)(\d*)\}/, this.#source.slice(this.#at)) ?? [];
    if (text === undefined) return undefined;
    this.#at += text.length;
    return { min: Number(min), max: comma === "" ? Number(min) : max === "" ? Infinity : Number(max) };
  }

  #single(): Part {
    if (this.#take("(")) return this.#group();
    if (this.#take("^")) return assertion((text, at) => at === 0 || (this.#isMultiline && isLineEnd(text[at - 1])));
    if (this.#take("$")) return assertion((text, at) => at === text.length || (this.#isMultiline && isLineEnd(text[at])));
    if (this.#take("\\b")) return assertion((text, at) => isWord(text[at - 1]) !== isWord(text[at]));
    if (this.#take("\\B")) return assertion((text, at) => isWord(text[at - 1]) === isWord(text[at]));
    const [reference, group] = nativeExec.call(/^\\([1-9]\d*)/, this.#source.slice(this.#at)) ?? [];
    if (reference !== undefined) {
      this.#at += reference.length;
      return { emit: (program) => void program.push({ op: "reference", group: Number(group) }), isCharacter: false };
    }
    const accepts = nativeTest(new RegExp(`^(?:${this.#character()})$`, this.#characterFlags), nativeExec);
    return { emit: (program) => void program.push({ op: "character", accepts }), isCharacter: true };
  }

  #group(): Part {
    const isLook = this.#sees("?=") || this.#sees("?!");
    const isNegative = this.#sees("?!");
    if (isLook) this.#at += 2;
    else if (this.#sees("?<=") || this.#sees("?<!")) this.#unsupported();
    const isCapturing = !isLook && !this.#take("?:");
    if (isCapturing && this.#take("?<")) while (!this.#take(">")) this.#at++;
    const number = isCapturing ? ++this.#groups : 0;
    const inner = this.#alternatives();
    if (!this.#take(")")) this.#unsupported();
    if (isLook) return { emit: lookOf(inner, isNegative), isCharacter: false };
    if (!isCapturing) return inner;
    const emit: Emit = (program) => {
      program.push({ op: "save", register: 2 * number });
      inner.emit(program);
      program.push({ op: "save", register: 2 * number + 1 });
    };
    return { emit, isCharacter: false };
  }

  /** The source of one character or class. */
  #character(): string {
    const rest = this.#source.slice(this.#at);
    const pattern = /^(?:\[(?:\\[^]|[^\]\\])*\]|\\(?:x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|u\{[\dA-Fa-f]+\}|c[A-Za-z]|[pP]\{[^}]+\}|[^k])|[^()*+?[\\])/u;
    const [found = this.#unsupported()] = nativeExec.call(pattern, rest) ?? [];
    this.#at += found.length;
    return found;
  }

  #sees(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    const isThere = this.#sees(text);
    if (isThere) this.#at += text.length;
    return isThere;
  }

  #unsupported(): never {
    throw new Error(`counting steps does not support /${this.#source}/ at position ${this.#at}`);
  }
}

const assertion = (holds: (text: string, at: number) => boolean): Part => ({
  emit: (program) => void program.push({ op: "assert", holds }),
  isCharacter: false,
});

const alternativesOf =
  (all: readonly Part[]): Emit =>
  (program) => {
    const jumps: number[] = [];
    for (const [index, { emit }] of all.entries()) {
      const isLast = index === all.length - 1;
      const split = program.length;
      if (!isLast) program.push({ op: "end" });
      emit(program);
      if (isLast) continue;
      jumps.push(program.length);
      program.push({ op: "end" });
      program[split] = { op: "split", first: split + 1, second: program.length };
    }
    for (const jump of jumps) program[jump] = { op: "jump", to: program.length };
  };

const lookOf =
  (inner: Part, isNegative: boolean): Emit =>
  (program) => {
    const look = program.length;
    program.push({ op: "end" });
    inner.emit(program);
    program.push({ op: "end" });
    program[look] = { op: "look", end: program.length, isNegative };
  };

interface Repetition {
  readonly min: number;
  readonly max: number;
  readonly isLazy: boolean;
  /** Registers of the groups inside, which each iteration clears. */
  readonly groups: readonly [number, number];
  readonly register: number;
}

const repetitionOf =
  ({ emit, isCharacter }: Part, { min, max, isLazy, groups: [from, to], register }: Repetition): Emit =>
  (program) => {
    const iterate = (isOptional: boolean): void => {
      if (to > from) program.push({ op: "clear", from, to });
      if (isOptional && !isCharacter) program.push({ op: "save", register });
      emit(program);
      if (isOptional && !isCharacter) program.push({ op: "advanced", register });
    };
    for (let count = 0; count < min; count++) iterate(false);
    const splits: number[] = [];
    const optional = (): void => {
      splits.push(program.length);
      program.push({ op: "end" });
      iterate(true);
    };
    if (max === Infinity) {
      optional();
      program.push({ op: "jump", to: splits[0] as number });
    } else for (let count = min; count < max; count++) optional();
    const end = program.length;
    for (const split of splits) program[split] = isLazy ? { op: "split", first: end, second: split + 1 } : { op: "split", first: split + 1, second: end };
  };
