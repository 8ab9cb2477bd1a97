import { masked } from "./secret-headers.ts";

const secretOption =
  /([?&;](?:[^=&#\s]*(?:password|passwd|passphrase|secret|token|credential|signature|api_?key|private_?key)[^=&#\s]*|key|sig|pwd)=)(RAW\(.*?\)|RAW\{.*?\}|[^&#\s"']*)/gi;
const userInfo = /(\/\/[^/?#\s:@"']*:)([^/?#\s@"']+)(@)/g;

/** Text with the passwords of URIs in it masked: `//user:…@`, `?password=…`, `&access_token=…`. */
export function maskUris(text: string): string {
  if (!text.includes("=") && !text.includes("@")) return text;
  return text.replaceAll(secretOption, `$1${masked}`).replaceAll(userInfo, `$1${masked}$3`);
}
