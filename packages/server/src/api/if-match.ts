/** The hashes of an If-Match header; `*` as itself, undefined when there is none. */
export function ifMatchOf(header: string | undefined): readonly string[] | undefined {
  return header?.split(",").map((tag) =>
    tag
      .trim()
      .replace(/^W\//, "")
      .replace(/^"(.*)"$/, "$1"),
  );
}
