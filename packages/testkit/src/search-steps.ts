// Counts the steps of searches, so that a test can tell linear from quadratic work without a clock. While `work` runs, every regular expression is
// matched twice: by V8, whose result counts, and by a backtracking matcher that counts its steps. Both must find the same.
import { compileRegExp, StepCounter, TooManySteps, type CompiledRegExp } from "./compiled-regexp.ts";

type Search = (this: { readonly length: number }, searched: unknown, from?: number) => number | boolean;

const nativeExec = RegExp.prototype.exec;
const lists = [String.prototype, Array.prototype] as unknown as readonly Record<string, Search>[];

/** Quadratic work on a long text would take hours. */
const maxSteps = 200_000_000;
/** Growth beyond this is not measured. */
const maxGrowth = 16;

/** The steps of regular expressions, and the characters and items visited by searches of strings and lists, that `work` causes. */
export function searchSteps(work: () => unknown, limit = maxSteps): number {
  const counter = new StepCounter(limit);
  const restored: (() => void)[] = [];
  const replace = (owner: object, name: string, value: unknown): void => {
    const native = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor;
    restored.push(() => Object.defineProperty(owner, name, native));
    Object.defineProperty(owner, name, { ...native, value });
  };
  const programs = new Map<string, CompiledRegExp>();
  replace(RegExp.prototype, "exec", function countedExec(this: RegExp, text: string) {
    const key = `${this.flags} ${this.source}`;
    const program = programs.get(key) ?? compileRegExp(this.source, this.flags);
    programs.set(key, program);
    const [start, end] = program.exec(String(text), this.global || this.sticky ? this.lastIndex : 0, counter) ?? [];
    const found = nativeExec.call(this, text);
    if (start !== found?.index || (found !== null && end !== found.index + found[0].length))
      throw new Error(`counting the steps of ${String(this)} gives another match than V8`);
    return found;
  });
  for (const owner of lists)
    for (const name of ["indexOf", "includes"]) {
      const [native, indexOf] = [owner[name], owner["indexOf"]] as [Search, Search];
      replace(owner, name, function countedSearch(this: { readonly length: number }, searched: unknown, from = 0) {
        const found = indexOf.call(this, searched, from) as number;
        counter.add(1 + Math.max(0, (found < 0 ? this.length : found) - from));
        return native.call(this, searched, from);
      });
    }
  const nativeCode = String.prototype.charCodeAt;
  replace(String.prototype, "charCodeAt", function countedCode(this: string, at: number) {
    counter.add(1);
    return nativeCode.call(this, at);
  });
  try {
    work();
  } finally {
    for (const restore of restored) restore();
  }
  return counter.steps;
}

/** The factor by which the steps grow when the input becomes eight times as large: about 8 when the work is linear, Infinity beyond 16. */
export function searchGrowth(work: (size: number) => unknown, size: number): number {
  const steps = searchSteps(() => work(size));
  try {
    return searchSteps(() => work(8 * size), maxGrowth * steps) / steps;
  } catch (error) {
    if (error instanceof TooManySteps) return Infinity;
    throw error;
  }
}
