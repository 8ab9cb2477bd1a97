import { headersOf, type SampleDraft } from "./sample-draft.ts";

/** The command that sends the sample, quoted for a POSIX shell. */
export function curlOf(method: string, url: string, { headers, body }: Pick<SampleDraft, "headers" | "body">): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const hasBody = body !== "" && method !== "GET" && method !== "HEAD";
  return [
    `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headersOf(headers)).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(hasBody ? [`--data-binary ${quoted(body)}`] : []),
  ].join(" ");
}
