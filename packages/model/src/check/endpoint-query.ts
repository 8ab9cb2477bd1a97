// The query of an endpoint URI: options separated by '&', percent-encoded unless wrapped in RAW(…) or RAW{…}.
interface QueryOption {
  readonly name: string;
  readonly value: string;
}

export interface Query {
  readonly options: readonly QueryOption[];
  /** Describes the syntax error in one sentence. */
  readonly fault?: string;
}

export function parseQuery(query: string): Query {
  const options: QueryOption[] = [];
  let at = 0;
  while (at < query.length) {
    const equals = indexOrEnd(query, "=", at);
    const ampersand = indexOrEnd(query, "&", at);
    if (equals > ampersand || equals === query.length) {
      const optionText = query.slice(at, ampersand);
      return { options, fault: optionText === "" ? "it contains '&&'" : `the option '${optionText.slice(0, 60)}' has no value` };
    }
    const end = valueEnd(query, equals + 1);
    options.push({ name: decodePercent(query.slice(at, equals), true), value: optionValue(query.slice(equals + 1, end)) });
    if (end === query.length - 1) return { options, fault: "it ends with '&'" };
    at = end + 1;
  }
  return { options };
}

/** The text of an option given in `parameters`: as written, without a RAW wrapper. */
export function unwrapRaw(value: string): string {
  return /^RAW(\(.*\)|\{.*\})$/s.test(value) ? value.slice(4, -1) : value;
}

/** Decodes valid percent-encoding and leaves any other '%' unchanged. */
export function decodePercent(text: string, plusIsBlank: boolean): string {
  const blanks = plusIsBlank ? text.replaceAll("+", " ") : text;
  if (!blanks.includes("%")) return blanks;
  return blanks.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

function optionValue(rawValue: string): string {
  const raw = unwrapRaw(rawValue);
  return raw === rawValue ? decodePercent(rawValue, true) : raw;
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index === -1 ? text.length : index;
}

/** A RAW value ends at the closing bracket that ends the option, so it may contain '&'. */
function valueEnd(query: string, from: number): number {
  const bracket = query.startsWith("RAW(", from) ? ")" : query.startsWith("RAW{", from) ? "}" : undefined;
  if (bracket === undefined) return indexOrEnd(query, "&", from);
  const closed = query.indexOf(`${bracket}&`, from);
  if (closed !== -1) return closed + 1;
  return query.endsWith(bracket) ? query.length : indexOrEnd(query, "&", from);
}
