/** A function of the mapping language. Arguments come evaluated; missing ones are undefined. */
export interface LanguageFunction {
  readonly min: number;
  readonly max: number;
  readonly apply: (...args: any[]) => unknown;
}

export type LanguageFunctions = Readonly<Record<string, LanguageFunction>>;

export const define = (min: number, max: number, apply: LanguageFunction["apply"]): LanguageFunction => ({ min, max, apply });
