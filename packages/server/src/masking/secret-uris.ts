import { masked } from "./secret-headers.ts";

// A name ends where the next option begins and a RAW value is bounded, so that no text takes longer than its length.
const optionName = /[?&;]([^=?&;#\s]*)=/g;
const optionValue = /RAW\(.{0,1000}?\)|RAW\{.{0,1000}?\}|[^&#\s"']*/y;
const secretName = /password|passwd|passphrase|secret|token|credential|signature|api_?key|private_?key|^key$|^sig$|^pwd$/i;
const userInfo = /(\/\/[^/?#\s:@"']*:)([^/?#\s@"']+)(@)/g;

/** Text with the passwords of URIs in it masked: `//user:…@`, `?password=…`, `&access_token=…`. */
export function maskUris(text: string): string {
  const options = text.includes("=") ? maskOptions(text) : text;
  return options.includes("@") ? options.replaceAll(userInfo, `$1${masked}$3`) : options;
}

/** As {@link maskUris}, for the part of a URI behind its '?'. */
export const maskQuery = (query: string): string => maskUris(`?${query}`).slice(1);

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
