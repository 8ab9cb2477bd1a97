import { masked } from "./secret-headers.ts";

// A name ends at the next option and RAW values are bounded, so that matching takes linear time.
const optionName = /[?&;]([^=?&;#\s]*)=/g;
const optionValue = /RAW\(.{0,1000}?\)|RAW\{.{0,1000}?\}|[^&#\s"']*/y;
const secretName = /password|passwd|passphrase|secret|token|credential|signature|api_?key|private_?key|^key$|^sig$|^pwd$/i;
const userInfo = /(\/\/[^/?#\s:@"']*:)([^/?#\s@"']+)(@)/g;

/** Masks passwords of URIs in a string: `//user:…@`, `?password=…`, `&access_token=…`. */
export function maskUris(text: string): string {
  const options = text.includes("=") ? maskOptions(text) : text;
  return options.includes("@") ? options.replaceAll(userInfo, `$1${masked}$3`) : options;
}

/** The position of the password if truncated text ends within `//user:password@`. */
export function passwordAtEnd(text: string): number | undefined {
  const start = text.lastIndexOf("//");
  const user = start < 0 ? undefined : /^\/\/[^/?#\s:@"']*:(?=[^/?#\s@"']+$)/.exec(text.slice(start))?.[0];
  return user === undefined ? undefined : start + user.length;
}

/** Like {@link maskUris}, for the part of a URI after '?'. */
export const maskQuery = (query: string): string => maskUris(`?${query}`).slice(1);

/** Masks all strings of a value, as the replacer of JSON.stringify. */
export const maskUrisInJson = (_name: string, value: unknown): unknown => (typeof value === "string" ? maskUris(value) : value);

function maskOptions(text: string): string {
  let shown = "";
  let from = 0;
  optionName.lastIndex = 0;
  for (let found = optionName.exec(text); found !== null; found = optionName.exec(text)) {
    if (!secretName.test(found[1] as string)) continue;
    shown += text.slice(from, optionName.lastIndex) + masked;
    optionValue.lastIndex = optionName.lastIndex;
    optionValue.test(text);
    from = optionName.lastIndex = optionValue.lastIndex;
  }
  return from === 0 ? text : shown + text.slice(from);
}
