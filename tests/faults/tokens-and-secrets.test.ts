// Tokens and secrets at full scale: every spelling of a path through the designer's proxy, and hundreds of deployments, including rejected ones,
// under load, while all output of the runtime is searched for secrets.
import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { startStubRuntime } from "../designer/stub-runtime.ts";
import { startTestDesigner, token as designerToken } from "../designer/started-designer.ts";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { call, eventually } from "../started-server.ts";

describe("paths through the designer", () => {
  it("no spelling of a path sends the token outside /_api", async () => {
    const runtime = await startStubRuntime();
    const designer = await startTestDesigner(runtime.baseUrl);
    const { hostname, port } = new URL(designer.url);
    const get = (path: string): Promise<void> =>
      new Promise((resolve) => {
        const outgoing = request({ hostname, port, path, agent: false }, (reply) => reply.resume().once("end", () => resolve()));
        outgoing.once("error", () => resolve()).end();
      });
    try {
      const dots = [".", "..", "%2e", "%2E%2e", ".%2e", "%2e.", "%252e%252e", "..;", "..%00", "%c0%ae%c0%ae", "％2e", "..%20"];
      const slashes = ["/", "//", "%2f", "%5c", "\\", "%252f", "/./", ";/"];
      const paths = dots.flatMap((dot) => slashes.flatMap((slash) => [1, 2, 3].map((times) => `/_api${slash}${`${dot}${slash}`.repeat(times)}leak`)));
      const prefixes = ["", "/x/..", "/_designer/..", "http://127.0.0.1", "//", "/_api/flows"];
      for (const prefix of prefixes) for (const path of paths) await get(encodeURI(prefix + path).replaceAll("%25", "%"));
      expect(paths.length * prefixes.length).toBeGreaterThan(1_500);
      const escaped = runtime.requests.filter(
        ({ url, headers }) => !url.startsWith("/_api/") || /\.\.(\/|%2f|%5c|\\|$)/i.test(url) || headers.authorization === undefined,
      );
      expect(escaped.map(({ url }) => url)).toEqual([]);
      expect(runtime.requests.every(({ headers }) => headers.authorization === `Bearer ${designerToken}`)).toBe(true);
    } finally {
      await designer.end();
      await runtime.close();
    }
  });
});

describe.each([1, 2])("secrets with %i workers", (workers) => {
  let server: SpawnedServer | undefined;
  afterEach(async () => {
    await server?.end("SIGKILL");
    server?.clean();
  });

  it("300 deployments, every third failing to start, never show a secret of any version", async () => {
    const running = (server = await spawnServer({ env: { SERVICE_WORKERS: String(workers), SERVICE_DRAIN_MS: "10s" } }));
    const flow = (extraRoutes: string) => `- route:
    id: speaking
    from:
      uri: webhook
      steps:
        - log: "first {{pw}}"
        - delay: {simple: "\${random(1,200)}"}
        - log: "last {{pw}}"
        - filter: {simple: "\${random(0,2)} == 0", steps: [{throwException: {exceptionType: java.lang.Exception, message: "failed with {{pw}}"}}]}
${extraRoutes}`;
    const broken = '- route: {id: broken, from: {uri: "file:/nowhere/at/all?autoCreate=false&startingDirectoryMustExist=true", steps: [{log: x}]}}\n';
    const secretOf = (version: number): string => `s3cret-of-version-${version}-`;
    const put = (version: number, yaml: string) =>
      running.api("PUT", "/flows/speaking", { yaml: `# ${version}\n${yaml}`, params: { pw: { value: secretOf(version), secret: true } } });
    expect((await put(0, flow(""))).status).toBe(201);
    let stopped = false;
    let calls = 0;
    const callers = Array.from({ length: 8 }, async () => {
      while (!stopped) {
        await call(running.baseUrl, "POST", "/api/speaking", "x").catch(() => undefined);
        calls++;
      }
    });
    const stream = await fetch(`${running.baseUrl}/_api/trace/stream?body=full`, { headers: { authorization: "Bearer T0ken-for-tests" } });
    let traced = "";
    const reading = (async () => {
      for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) traced += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    let shown = "";
    for (let version = 1; version <= 300; version++) {
      const isBroken = version % 3 === 0;
      const reply = await put(version, flow(isBroken ? broken : ""));
      expect(reply.status, reply.text).toBe(isBroken ? 422 : 200);
      shown += reply.text;
      if (version % 20 === 0) for (const path of ["/runs?limit=1000", "/flows", "/health"]) shown += (await running.api("GET", path)).text;
    }
    stopped = true;
    await Promise.all(callers);
    await eventually(async () => (await running.api("GET", "/runs?status=running")).json.runs.length === 0);
    shown += (await running.api("GET", "/runs?limit=1000")).text;
    expect(await running.end("SIGTERM")).toBe(0);
    await reading;
    expect(calls).toBeGreaterThan(100);
    expect(running.output()).toContain("last ***");
    for (const [where, text] of Object.entries({ log: running.output(), replies: shown, trace: traced }))
      expect([where, /.{0,300}s3cret-of-version-\d+-.{0,100}/.exec(text)?.[0]]).toEqual([where, undefined]);
  }, 300_000);
});
