/** A predicate for strings that match a pattern with `*` for any characters. Each part is searched after the previous one, so it is linear. */
export function starPattern(pattern: string): (text: string) => boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let position = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, position);
      if (found < 0) return false;
      position = found + part.length;
    }
    return position <= text.length - last.length;
  };
}
