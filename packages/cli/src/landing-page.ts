// The page at the designer's address as long as there is no designer: says that the runtime is up and what to type next.
import { createServer, type Server } from "node:http";

export interface LandingPageOptions {
  readonly host: string;
  readonly port: number;
  readonly runtimeUrl: string;
  readonly tokenPath: string;
}

export async function serveLandingPage(options: LandingPageOptions): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const found = request.method === "GET" && (request.url === "/" || request.url?.startsWith("/?") === true);
    response.writeHead(found ? 200 : 404, {
      "content-type": found ? "text/html; charset=utf-8" : "text/plain; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    response.end(found ? page(options) : "not found\n");
  });
  await listen(server, options);
  const { port } = server.address() as { port: number };
  return { url: `http://${options.host}:${port}`, close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))) };
}

function listen(server: Server, { host, port }: LandingPageOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** The `curl` line that installs a first flow; it works when pasted as it is. */
export function firstFlowCommand(runtimeUrl: string, tokenPath: string): string {
  const yaml = "- route: {id: hello, from: {uri: webhook, steps: [{log: '${body}'}]}}";
  return `curl -X PUT ${runtimeUrl}/_api/flows/hello -H "Authorization: Bearer $(cat '${tokenPath}')" -H 'Content-Type: application/yaml' --data-binary "${yaml.replaceAll("$", "\\$")}"`;
}

function page({ runtimeUrl, tokenPath }: LandingPageOptions): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sluice</title><meta name="viewport" content="width=device-width, initial-scale=1">
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:3rem auto;padding:0 1rem}pre{padding:1rem;border:1px solid #868f9c;border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}</style></head>
<body><main><h1>Sluice is running</h1>
<p>The runtime serves at <a href="${escape(runtimeUrl)}/_api/health">${escape(runtimeUrl)}</a>. The deploy token is in <code>${escape(tokenPath)}</code>.</p>
<h2>Install a first flow</h2><pre>${escape(firstFlowCommand(runtimeUrl, tokenPath))}</pre>
<h2>Call it</h2><pre>curl -X POST ${escape(runtimeUrl)}/api/hello -d '{"name":"Ada"}'</pre>
<p>It answers <code>ok</code>. The README shows what comes next.</p></main></body></html>
`;
}
