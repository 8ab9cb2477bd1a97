/** The parts of a path with one slash before each. */
export function joinPath(...parts: readonly string[]): string {
  const path = parts
    .map((part) => part.replaceAll(/^\/+|\/+$/g, ""))
    .filter((part) => part !== "")
    .join("/");
  return `/${path}`;
}
