const comparison =
  /^\s*([A-Za-z_][\w-]*(?:\.[A-Za-z_*][\w-]*|\[[^\]]*\])*)\s*(===?|!=|<=|>=|<|>|=~|\s(?:in|nin|subsetof|anyof|noneof|size|empty|contains)\s)(.+)$/is;

/** Camel's short predicates: `store.book.price < 10` means `$.store.book[?(@.price < 10)]`. Any other text is returned unchanged. */
export function expandEasyPredicate(text: string): string {
  const trimmed = text.trim();
  if (trimmed.startsWith("$") || trimmed.startsWith("@")) return text;
  const found = comparison.exec(trimmed);
  if (found === null) return text;
  const [, path, operator, right] = found as unknown as [string, string, string, string];
  const dot = path.lastIndexOf(".");
  const parent = dot < 0 ? "$" : `$.${path.slice(0, dot)}`;
  return `${parent}[?(@.${path.slice(dot + 1)} ${operator.trim()} ${right.trim()})]`;
}
