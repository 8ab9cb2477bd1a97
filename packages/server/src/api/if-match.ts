/** The hashes of an If-Match header, or `*`; undefined without the header. */
export function ifMatchOf(header: string | undefined): readonly string[] | undefined {
  return header?.split(",").map((tag) =>
    tag
      .trim()
      .replace(/^W\//, "")
      .replace(/^"(.*)"$/, "$1"),
  );
}
