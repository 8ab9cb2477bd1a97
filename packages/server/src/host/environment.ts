/** Names whose values are secrets by the look of them: hidden from expressions, masked wherever they show up. */
export const looksSecret = (name: string): boolean => /pass(word|wd)?|secret|token|credential|private|api_?key|_key$|^key$/i.test(name);

/** Our own settings hold the deploy token: no flow sees any of them. */
const isOurs = (name: string): boolean => /^SERVICE_/i.test(name);

export interface Environment {
  /** For expressions: secrets and our own settings are invisible. */
  visible(name: string): string | undefined;
  /** For values an operator or author names on purpose (`{"env": …}`, `{{env:…}}`): only our own settings are invisible. */
  named(name: string): string | undefined;
}

/** The process environment as flows may see it. */
export function createEnvironment(variables: Readonly<Record<string, string | undefined>>): Environment {
  const named = (name: string): string | undefined => (isOurs(name) || !Object.hasOwn(variables, name) ? undefined : variables[name]);
  return { named, visible: (name) => (looksSecret(name) ? undefined : named(name)) };
}
