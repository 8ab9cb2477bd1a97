const loopbackOf: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/** The URL of the runtime that listens on this address; a wildcard address is reached through the loopback interface. */
export function localUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  return `http://${loopbackOf[host] ?? (host.includes(":") ? `[${host}]` : host)}:${port}`;
}
