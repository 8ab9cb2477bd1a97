// Which calls an access rule applies to: shared by the runtime, which enforces it, and the designer, which shows it.

export interface RuleScope {
  /** Route ids; `*` matches any characters. Undefined means every route. */
  readonly routes?: readonly string[] | undefined;
  /** Undefined means every method; GET includes HEAD. */
  readonly methods?: readonly string[] | undefined;
}

export function ruleMatcher({ routes, methods }: RuleScope): (routeId: string, method: string) => boolean {
  const patterns = routes?.map(patternOf);
  return (routeId, method) =>
    (patterns?.some((pattern) => pattern(routeId)) ?? true) &&
    (methods?.some((listed) => listed === method || (method === "HEAD" && listed === "GET")) ?? true);
}

/** Searches each part after the previous one: linear for any pattern. */
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
