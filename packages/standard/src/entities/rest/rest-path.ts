/** Joins the parts of a path, with one slash before each part. */
export function joinPath(...parts: readonly string[]): string {
  const path = parts
    .map((part) => part.replaceAll(/^\/+|\/+$/g, ""))
    .filter((part) => part !== "")
    .join("/");
  return `/${path}`;
}
