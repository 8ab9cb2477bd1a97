// Which calls a rule of an access policy is about: the same for the runtime, which obeys it, and the designer, which shows it.

export interface RuleScope {
  /** Route ids; `*` stands for any run of characters. Undefined is every route. */
  readonly routes?: readonly string[] | undefined;
  /** Undefined is every method; GET covers HEAD. */
  readonly methods?: readonly string[] | undefined;
}

export function ruleMatcher({ routes, methods }: RuleScope): (routeId: string, method: string) => boolean {
  const patterns = routes?.map(patternOf);
  return (routeId, method) =>
    (patterns?.some((pattern) => pattern(routeId)) ?? true) &&
    (methods?.some((listed) => listed === method || (method === "HEAD" && listed === "GET")) ?? true);
}

/** Each part is looked for after the one before: linear, whatever the pattern. */
function patternOf(text: string): (name: string) => boolean {
  const [first = "", ...rest] = text.split("*");
  const last = rest.pop();
  if (last === undefined) return (name) => name === text;
  return (name) => {
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    let position = first.length;
    for (const part of rest) {
      const found = name.indexOf(part, position);
      if (found < 0) return false;
      position = found + part.length;
    }
    return position <= name.length - last.length;
  };
}
