const timeoutMs = 5_000;
const maxBytes = 1_048_576;

/** Fetches a small public document. Redirects are not followed, so that only the configured URI is used. */
export async function fetchText(uri: string): Promise<string> {
  const response = await fetch(uri, { redirect: "error", signal: AbortSignal.timeout(timeoutMs), headers: { accept: "application/json" } });
  if (response.status !== 200 || response.body === null) throw new Error(`${uri} replied with status ${response.status} instead of 200`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the reply from ${uri} exceeds ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
