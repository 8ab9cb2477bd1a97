/** True for names that suggest a secret: such values are hidden from expressions and masked in output. */
export const looksSecret = (name: string): boolean => /pass(word|wd)?|secret|token|credential|private|api_?key|_key$|^key$/i.test(name);

/** The environment variable of a property: `ERP_BASE_URL` for `erp.base-url`. */
export const variableOf = (property: string): string => property.toUpperCase().replaceAll(/[.-]/g, "_");

/** True for settings of the runtime, which include the deploy token and are hidden from flows. */
const isRuntimeSetting = (name: string): boolean => /^SERVICE_/i.test(name);

export interface Environment {
  /** For expressions: hides secrets and the runtime's settings. */
  visible(name: string): string | undefined;
  /** For explicit references (`{"env": …}`, `{{env:…}}`): hides only the runtime's settings. */
  named(name: string): string | undefined;
}

/** The process environment as visible to flows. */
export function createEnvironment(variables: Readonly<Record<string, string | undefined>>): Environment {
  const named = (name: string): string | undefined => (isRuntimeSetting(name) || !Object.hasOwn(variables, name) ? undefined : variables[name]);
  return { named, visible: (name) => (looksSecret(name) ? undefined : named(name)) };
}
