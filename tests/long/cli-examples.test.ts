// Runs every example in the help of every command as written, in order, in one folder against a started runtime.
import { callablesOf } from "../../packages/cli/src/command/declaration.ts";
import { commands } from "../../packages/cli/src/commands/index.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openCliSession, type CliSession, type CommandResult } from "../cli-session.ts";
import { cliFolder } from "../cli-process.ts";
import { call, startTestServer, token, type StartedServer } from "../started-server.ts";

const kamelet = `apiVersion: camel.apache.org/v1
kind: Kamelet
metadata:
  name: greeter-action
spec:
  definition: {title: Greeter}
  template:
    from:
      uri: kamelet:source
      steps:
        - setBody: {constant: hello}
`;
const intake = (steps: string): string =>
  `- errorHandler: {deadLetterChannel: "sluice:dead-letters"}\n- route: {id: intake, from: {uri: webhook, steps: [${steps}]}}\n`;

let server: StartedServer;
let session: CliSession;
/** What the variables of the examples stand for. */
const variables: Record<string, string> = {};
beforeAll(async () => {
  server = await startTestServer();
  session = openCliSession({ SLUICE_RUNTIME: server.baseUrl, SERVICE_DEPLOY_TOKEN: token, DESIGNER_PORT: "0", SERVICE_PORT: "0" });
  expect(await session.sluice("new", "webhook", "orders")).toMatchObject({ exit: 0 });
  session.put({
    "legacy/routes.xml": '<routes><route id="legacy"><from uri="direct:legacy"/><log message="${body}"/></route></routes>',
    "shop.json": '{"type": "sqlite", "values": {"file": "shop.db"}}',
    "kamelets/greeter-action.kamelet.yaml": kamelet,
  });
});
afterAll(async () => {
  session.remove();
  await server.end();
});

// Some examples remove flows, stop routes or replay runs: each starts with the same flows, and its newest run is a captured one of route orders.
beforeEach(async ({ task }) => {
  if (/\$DEAD_LETTER|\$REPLAY|the operations/.test(task.name)) await createDeadLetter();
  await server.putFlow("intake", intake("{setBody: {constant: well}}"));
  await server.api("PUT", "/connections/shop", session.read("shop.json"));
  await server.api("PUT", "/flows/orders", { yaml: session.read("orders/orders.yaml"), params: { "partner.url": "http://partner.invalid" } });
  // Without an effect on a route that runs.
  for (const action of ["start", "resume"]) await server.api("POST", `/routes/orders/${action}`);
  await server.api("POST", "/routes/orders/capture", { forMs: 600_000 });
  expect((await call(server.baseUrl, "POST", "/api/orders", "{}")).status).toBe(422);
});

async function createDeadLetter(): Promise<void> {
  await server.putFlow("intake", intake("{throwException: {exceptionType: java.lang.IllegalStateException, message: no stock}}"));
  await call(server.baseUrl, "POST", "/api/intake", "x");
  variables["$DEAD_LETTER"] = (await server.api("GET", "/dead-letters")).json.deadLetters[0].id;
  variables["$REPLAY"] = (await server.api("POST", "/dead-letters/replay", { routeId: "intake" })).json.id;
}

interface CommandLine {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The file that a shell would write the output to. */
  readonly file: string | undefined;
}

/** Reads a command line as a shell does, as far as the examples need it. */
function readLine(line: string): CommandLine {
  const [, assignments = "", words = "", file] = /^((?:\w+=\S+ )*)(?:source <\()?sluice (.*?)\)?(?: > (\S+))?$/.exec(line) ?? [];
  const env = assignments.split(" ").flatMap((pair) => (pair === "" ? [] : [pair.split("=") as [string, string]]));
  return { args: words.split(" ").map((word) => variables[word] ?? word), env: Object.fromEntries(env), file };
}

/** The requests that the examples make at the runtime, by command line. */
const requestsOf = new Map<string, readonly ApiRequest[]>();

interface ApiRequest {
  readonly method: string;
  /** Below /_api. */
  readonly path: string;
}

async function runLine(line: string, until: string | undefined): Promise<CommandResult> {
  const { args, env, file } = readLine(line);
  const requests: ApiRequest[] = [];
  const { fetch: originalFetch } = globalThis;
  globalThis.fetch = (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
    if (origin === server.baseUrl && pathname.startsWith("/_api/")) requests.push({ method: init?.method ?? "GET", path: pathname.slice("/_api".length) });
    return originalFetch(input, init);
  };
  const result = await session.run(args, { env, ...(until === undefined ? {} : { until }) }).finally(() => (globalThis.fetch = originalFetch));
  requestsOf.set(line, requests);
  if (file !== undefined) session.put({ [file]: result.output });
  return result;
}

/** `sluice run` writes to the output of its process. */
async function runProcess(line: string, until: string): Promise<CommandResult> {
  const folder = cliFolder({ SERVICE_DEPLOY_TOKEN: token });
  folder.put({ "orders/orders.yaml": session.read("orders/orders.yaml"), "orders/orders.params.json": session.read("orders/orders.params.json") });
  try {
    const { exit, ...result } = await folder.interruptAfter(line, until);
    return { exit: exit ?? -1, ...result };
  } finally {
    folder.remove();
  }
}

// tests/cluster-command.test.ts runs the example of `sluice cluster`, which starts seven processes.
const examples = commands.flatMap(({ name, examples: list }) => (name === "cluster" ? [] : list.map((example) => ({ name, ...example }))));

describe("examples of the help", () => {
  it("exist for every command and every action", () => {
    const lines = commands.flatMap(({ examples: list }) => list.map(({ command }) => command));
    const withoutExample = commands.flatMap((command) =>
      callablesOf(command)
        // Without a name, the first action runs.
        .map(({ path }, index) => (command.actions !== undefined && index === 0 ? [path, command.name] : [path]))
        .filter((names) => !names.some((name) => lines.some((line) => line.includes(`sluice ${name}`))))
        .flat(),
    );
    expect(withoutExample).toEqual([]);
  });

  for (const { name, command, exit = 0, until } of examples)
    it(`${name}: ${command}`, async () => {
      const result = name === "run" ? await runProcess(command, until as string) : await runLine(command, until);
      expect(result, result.stderr).toMatchObject({ exit });
      expect(result.stderr).not.toMatch(/^\s+at /m);
      if (until !== undefined) expect(result.output + result.stderr).toContain(until);
    });
});

describe("--json prints JSON", () => {
  // One example per command and action; these already select another output, or cannot run twice.
  const isRepeatable = (line: string): boolean => !/--yaml|--json|--reporter|--format|--output| new | > |remove shop|connections put|--for /.test(line);
  const seen = new Set<string>();
  const lines = commands.flatMap((command) =>
    callablesOf(command)
      .filter(({ flags }) => flags.some(({ name }) => name === "json"))
      .flatMap(({ path }) => {
        const line = command.examples.map((example) => example.command).find((each) => each.includes(`sluice ${path}`) && isRepeatable(each));
        return line === undefined || seen.has(line) || !seen.add(line) ? [] : [line];
      }),
  );

  it.each(lines)("%s", async (line) => {
    const { exit, output, stderr } = await runLine(`${line} --json`, undefined);
    expect([exit, typeof JSON.parse(output)], stderr).toEqual([0, "object"]);
  });
});

describe("the operations of the API", () => {
  /** Operations without a command, by reason. */
  const withoutCommand: Readonly<Record<string, readonly string[]>> = {
    "Prometheus reads it": ["GET /metrics"],
    "`sluice deploy --dry-run` and `sluice lint` check flows": ["POST /flows/validate"],
  };
  /** What an operator works with; the groups of the OpenAPI document. */
  const groups = new Set(["health", "flows", "routes", "dead letters", "runs", "streams"]);

  it("about flows, routes, runs, dead letters, versions and status are called by an example of a command", async () => {
    for (const { name, command, until } of examples) if (name !== "run" && !requestsOf.has(command)) await runLine(command, until);
    const { paths } = (await server.api("GET", "/openapi.json")).json as {
      paths: Readonly<Record<string, Readonly<Record<string, { readonly tags: readonly string[] }>>>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags }]) => tags.some((tag) => groups.has(tag)))
        .map(([method]) => ({ method: method.toUpperCase(), segments: path.replace(/^\/_api/, "").split("/") })),
    );
    type Operation = (typeof operations)[number];
    const isParameter = (segment: string): boolean => segment.startsWith("{");
    /** The operation with the most segments that are no parameters. */
    const operationOf = ({ method, path }: ApiRequest): Operation | undefined =>
      operations
        .filter(
          ({ method: declared, segments }) =>
            declared === method &&
            segments.length === path.split("/").length &&
            path.split("/").every((part, index) => part === segments[index] || isParameter(segments[index] as string)),
        )
        .sort((one, other) => one.segments.filter(isParameter).length - other.segments.filter(isParameter).length)[0];
    const called = new Set([...requestsOf.values()].flat().map(operationOf));
    const nameOf = ({ method, segments }: Operation): string => `${method} ${segments.join("/").replaceAll(/\{(\w+)\}/g, ":$1")}`;
    const uncalled = operations.filter((operation) => !called.has(operation)).map(nameOf);
    expect(uncalled.toSorted()).toEqual(Object.values(withoutCommand).flat().toSorted());
    expect(new Set(operations.map(({ segments }) => segments[1]))).toEqual(
      new Set(["health", "metrics", "nodes", "flows", "routes", "dead-letters", "runs", "trace", "logs"]),
    );
  });
});
