/** A function of the mapping language. Arguments are evaluated; missing ones are undefined. */
export interface LanguageFunction {
  readonly min: number;
  readonly max: number;
  readonly apply: (...args: any[]) => unknown;
  /** The argument that is a pattern, and its check, which throws for an invalid one: literal patterns are checked at compile time. */
  readonly pattern?: { readonly at: number; check(pattern: string): unknown };
}

export type LanguageFunctions = Readonly<Record<string, LanguageFunction>>;

/** A function whose second argument is a pattern. */
export const withPattern = (declared: LanguageFunction, check: (pattern: string) => unknown): LanguageFunction => ({ ...declared, pattern: { at: 1, check } });

export const define = (min: number, max: number, apply: LanguageFunction["apply"]): LanguageFunction => ({ min, max, apply });
