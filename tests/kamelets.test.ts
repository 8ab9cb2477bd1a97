// Kamelets, pipes and integrations from the user's point of view: files in a folder, used by flows over HTTP and by every command.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cliFolder, type CliFolder } from "./cli-process.ts";
import { kameletFiles } from "./kamelet-files.ts";
import { call, startTestServer, type StartedServer } from "./started-server.ts";

function writeKamelets(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(kameletFiles)) writeFileSync(join(folder, name), text);
}

describe("a Kamelet in a runtime", () => {
  let server: StartedServer;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "sluice-kamelets-"));
    writeKamelets(join(dataDir, "kamelets"));
    server = await startTestServer({ dataDir });
  });
  afterAll(() => server?.end());

  const post = (path: string, body: string, headers: Readonly<Record<string, string>> = {}) => call(server.baseUrl, "POST", path, body, headers);
  const webhook = (id: string, steps: string): string => `- route:\n    id: ${id}\n    from:\n      uri: webhook\n      steps:\n${steps}`;

  it("is a step, a target of 'to' and of other steps that send", async () => {
    const steps = `        - kamelet:
            name: greeter-action
            parameters: {greeting: Hello}
        - to: "kamelet:greeter-action?greeting=Hi&mark=%3F"
        - enrich:
            simple: "kamelet:greeter-action?greeting=Hi"
`;
    expect((await server.putFlow("steps", webhook("steps", steps.slice(0, steps.indexOf("        - enrich"))))).status).toBe(201);
    expect((await post("/api/steps", "Ada")).text).toBe("Hi Hello Ada!?");
    const tapped = `        - multicast:
            steps:
              - to: "kamelet:greeter-action?greeting=Hello"
        - wireTap: {uri: "kamelet:greeter-action?greeting=Hi"}
`;
    const put = await server.putFlow("tapped", webhook("tapped", tapped));
    expect([put.status, put.text]).toEqual([201, expect.any(String)]);
    expect((await post("/api/tapped", "Ada")).text).toBe("Hello Ada!");
  });

  it("is a source: its trigger starts the route, whose steps run where it sends to kamelet:sink", async () => {
    const flow = `- route:
    id: received
    from:
      uri: kamelet:entry-source
      parameters: {path: kamelet-entry}
      steps:
        - setBody: {simple: "got \${body}"}
`;
    expect((await server.putFlow("received", flow)).status).toBe(201);
    const reply = await post("/kamelet-entry", "one");
    expect([reply.text, reply.headers.get("x-source")]).toEqual(["got one", "entry"]);
    expect((await post("/kamelet-entry", "skip")).text).toBe("skipped");
  });

  it("creates separate beans for each use", async () => {
    const one = `        - kamelet: {name: rename-action, parameters: {field: a}}\n`;
    const two = `        - kamelet: {name: rename-action, parameters: {field: b}}\n`;
    expect((await server.putFlow("beans", webhook("first", one) + webhook("second", two))).status).toBe(201);
    expect(JSON.parse((await post("/api/first", '{"a":1,"b":2}')).text)).toEqual({ b: 2 });
    expect(JSON.parse((await post("/api/second", '{"a":1,"b":2}')).text)).toEqual({ a: 1 });
  });

  it("may reference a bean in the properties of a later one", async () => {
    const steps = `        - kamelet: {name: once-action, parameters: {file: once.db}}\n        - setBody: {constant: first}\n`;
    const put = await server.putFlow("once", webhook("once", steps));
    expect([put.status, put.text]).toEqual([201, expect.any(String)]);
    const replies = [];
    for (const id of ["a", "a", "b"]) replies.push((await post("/api/once", "x", { id })).text);
    expect(replies).toEqual(["first", "again", "first"]);
  });

  it("may use a bean of a component class as a scheme, with the bean's properties as options", async () => {
    const flow = `${webhook("enqueue", "        - to: kamelet:queueing-sink\n")}- route:
    id: dequeue
    from:
      uri: seda:kept
      steps:
        - setBody: {simple: "kept \${body}"}
`;
    expect((await server.putFlow("component", flow)).status).toBe(201);
    expect((await post("/api/enqueue", "x")).text).toBe("kept x");
    const { json } = await server.api("GET", "/flows/component");
    expect(JSON.stringify(json)).not.toContain("autowiredEnabled");
  });

  it("reports an error at the line of use, with the Kamelet's file and line", async () => {
    const { status, json } = await server.putFlow("faulty", webhook("faulty", "        - log: x\n        - to: kamelet:broken-sink\n"));
    expect(status).toBe(422);
    expect(JSON.stringify(json)).toMatch(/line 7.*in Kamelet 'broken-sink', .*broken-sink\.kamelet\.yaml:15/);
    writeFileSync(join(dataDir, "kamelets", "no-yaml.kamelet.yaml"), "kind: Kamelet\nspec: [\n");
    const noYaml = await server.putFlow("no-yaml", webhook("no-yaml", "        - to: kamelet:no-yaml\n"));
    expect([noYaml.status, noYaml.text]).toEqual([422, expect.stringMatching(/in Kamelet 'no-yaml', .*no-yaml\.kamelet\.yaml:\d/)]);
    const missing = await server.putFlow("missing", webhook("missing", "        - to: kamelet:greeter-action\n"));
    expect(missing.text).toContain("Kamelet 'greeter-action' needs a value for parameter 'greeting'");
    const unknown = await server.putFlow("unknown", webhook("unknown", "        - to: kamelet:greter-action\n"));
    expect(unknown.text).toContain("did you mean 'greeter-action'?");
    const role = await server.putFlow("role", webhook("role", "        - to: kamelet:entry-source?path=x\n"));
    expect(role.text).toContain("Kamelet 'entry-source' is a source and cannot be used as a destination");
    const from = await server.putFlow("from", `- from:\n    uri: kamelet:greeter-action?greeting=Hi\n    steps:\n      - log: x\n`);
    expect(from.text).toContain("Kamelet 'greeter-action' is not a source: it cannot be used in 'from'");
  });

  it("is never loaded from outside its folder", async () => {
    writeFileSync(join(dataDir, "outside.kamelet.yaml"), kameletFiles["greeter-action.kamelet.yaml"] as string);
    for (const name of ["../outside", "..%2Foutside", "/outside"]) {
      const { status } = await server.putFlow("escape", webhook("escape", `        - kamelet: {name: "${name}", parameters: {greeting: Hi}}\n`));
      expect([name, status]).toEqual([name, 422]);
    }
  });

  it("reads values from properties, warns about unknown names, and hides secrets in the log", async () => {
    const steps = `        - kamelet: {name: greeter-action, parameters: {greting: Hello, secretWord: hush-hush-word}}\n`;
    const put = await server.putFlow("named", webhook("named", steps), { camel: { kamelet: { "greeter-action": { greeting: "Hi" } } } });
    expect([put.status, put.text]).toEqual([201, expect.stringContaining("has no parameter 'greting' (did you mean 'greeting'?)")]);
    expect((await post("/api/named", "Ada")).text).toBe("Hi Ada!");
    expect(server.logText()).not.toContain("hush-hush-word");
  });

  it("reads the parameters of one use from the properties of its configuration, which an Integration can contain", async () => {
    const flow = webhook("twice", `        - to: kamelet:greeter-action/first\n        - to: kamelet:greeter-action/second?mark=.\n`);
    const configured = { greeting: "Hi", first: { greeting: "Hello", mark: "?" }, second: { mark: ";" } };
    expect((await server.putFlow("twice", flow, { camel: { kamelet: { "greeter-action": configured } } })).status).toBe(201);
    expect((await post("/api/twice", "Ada")).text).toBe("Hi Hello Ada?.");

    const integration = (configuration: string): string => `apiVersion: camel.apache.org/v1
kind: Integration
metadata:
  name: configured
${configuration}  flows:
    - from:
        uri: platform-http:/configured
        steps:
          - to: kamelet:greeter-action/chosen
          - setBody: {simple: "\${body} {{word}}"}
`;
    const lines = ["camel.kamelet.greeter-action.chosen.greeting = Hello", "word=there"];
    for (const configuration of [
      `spec:\n  traits:\n    camel:\n      properties: ${JSON.stringify(lines)}\n`,
      `spec:\n  configuration: ${JSON.stringify(lines.map((value) => ({ type: "property", value })))}\n`,
      `  annotations: {trait.camel.apache.org/camel.properties: '${JSON.stringify(lines)}'}\nspec:\n`,
    ]) {
      const put = await server.putFlow("configured", integration(configuration));
      expect([put.status, put.text]).toEqual([expect.toBeOneOf([200, 201]), expect.any(String)]);
      expect((await post("/configured", "Ada")).text).toBe("Hello Ada! there");
    }
    const overridden = await server.putFlow("configured", integration(`spec:\n  configuration: [{type: property, value: "word=x"}]\n`), {
      word: "again",
      camel: { kamelet: { "greeter-action": { greeting: "Hi" } } },
    });
    expect(overridden.status).toBe(200);
    expect((await post("/configured", "Ada")).text).toBe("Hi Ada! again");
  });

  it("names the ends and steps of a pipe, so that properties can configure them", async () => {
    const pipe = `apiVersion: camel.apache.org/v1
kind: Pipe
metadata:
  name: by-properties
spec:
  integration:
    configuration:
      - {type: property, value: camel.kamelet.entry-source.source.path=by-properties}
      - {type: property, value: camel.kamelet.greeter-action.action-0.greeting=Hello}
      - {type: property, value: camel.kamelet.greeter-action.sink.greeting=Hi}
  source:
    ref: {kind: Kamelet, apiVersion: camel.apache.org/v1, name: entry-source}
  steps:
    - ref: {kind: Kamelet, apiVersion: camel.apache.org/v1, name: greeter-action}
  sink:
    ref: {kind: Kamelet, apiVersion: camel.apache.org/v1, name: greeter-action}
`;
    const put = await server.putFlow("by-properties", pipe);
    expect([put.status, put.text]).toEqual([201, expect.any(String)]);
    expect((await post("/by-properties", "Ada")).text).toBe("Hi Hello Ada!!");
  });

  it("runs an unchanged pipe, and an integration", async () => {
    const pipe = (kind: string, path: string): string => `apiVersion: camel.apache.org/v1
kind: ${kind}
metadata:
  name: ${path}
spec:
  source:
    ref: {kind: Kamelet, apiVersion: camel.apache.org/v1, name: entry-source}
    properties: {path: ${path}}
  steps:
    - ref: {kind: Kamelet, apiVersion: camel.apache.org/v1, name: greeter-action}
      properties: {greeting: Hello}
  sink:
    uri: "log:piped"
`;
    for (const kind of ["Pipe", "KameletBinding"]) {
      const put = await server.putFlow(`as-${kind}`, pipe(kind, `as-${kind.toLowerCase()}`));
      expect([put.status, put.text]).toEqual([201, expect.any(String)]);
      expect((await post(`/as-${kind.toLowerCase()}`, "Ada")).text).toBe("Hello Ada!");
    }
    const integration = `apiVersion: camel.apache.org/v1
kind: Integration
metadata:
  name: whole
spec:
  flows:
    - from:
        uri: platform-http:/integrated
        steps:
          - setBody: {constant: from an integration}
`;
    expect((await server.putFlow("integration", integration)).status).toBe(201);
    expect((await post("/integrated", "")).text).toBe("from an integration");
    const service = await server.putFlow("service", pipe("Pipe", "b").replace("kind: Kamelet,", "kind: Service,"));
    expect(service.text).toContain("a reference to a Kubernetes resource of kind 'Service' cannot be used outside Kubernetes");
  });

  it("connects a channel and a broker of Knative", async () => {
    const put = await server.putFlow(
      "events",
      `apiVersion: camel.apache.org/v1
kind: Pipe
metadata:
  name: events
spec:
  source:
    ref: {kind: InMemoryChannel, apiVersion: messaging.knative.dev/v1, name: words}
  sink:
    ref: {kind: Broker, apiVersion: eventing.knative.dev/v1, name: main}
    properties: {type: word.received, url: "${server.baseUrl}/events/word.received"}
`,
    );
    expect([put.status, put.text]).toEqual([201, expect.any(String)]);
    const target = `- from: {uri: "knative:event/word.received", steps: [{setBody: {simple: "\${header.CamelCloudEventType} \${header.CamelCloudEventID} \${body}"}}]}\n`;
    expect((await server.putFlow("target", target)).status).toBe(201);
    const reply = await call(server.baseUrl, "POST", "/channels/words", "one", { "ce-id": "7", "ce-type": "word", "content-type": "text/plain" });
    expect([reply.status, reply.text]).toEqual([200, "word 7 one"]);
  });

  it("reloads a changed Kamelet on deployment", async () => {
    const file = join(dataDir, "kamelets", "changing-action.kamelet.yaml");
    const text = (kameletFiles["greeter-action.kamelet.yaml"] as string).replaceAll("greeter-action", "changing-action");
    writeFileSync(file, text);
    const flow = (remark: string): string => `${webhook("changing", "        - kamelet: {name: changing-action, parameters: {greeting: Hi}}\n")}# ${remark}\n`;
    await server.putFlow("changing", flow("one"));
    expect((await post("/api/changing", "Ada")).text).toBe("Hi Ada!");
    writeFileSync(file, text.replace("{{greeting}} $", "<{{greeting}}> $"));
    await server.putFlow("changing", flow("two"));
    expect((await post("/api/changing", "Ada")).text).toBe("<Hi> Ada!");
  });
});

describe("SERVICE_KAMELETS", () => {
  it("accepts a folder, and rejects missing folders and packages", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-kamelet-package-"));
    try {
      writeKamelets(join(folder, "kamelets"));
      const server = await startTestServer({ env: { SERVICE_KAMELETS: join(folder, "kamelets") } });
      try {
        const flow = `- from:\n    uri: webhook\n    id: w\n    steps:\n      - to: kamelet:greeter-action?greeting=Hi\n`;
        expect((await server.putFlow("plain", flow)).status).toBe(201);
      } finally {
        await server.end();
      }
      await expect(startTestServer({ env: { SERVICE_KAMELETS: "./no-such-folder" } })).rejects.toThrow(
        /kamelets-missing: SERVICE_KAMELETS: the folder .* does not exist/,
      );
      await expect(startTestServer({ env: { SERVICE_KAMELETS: "no-such-package" } })).rejects.toThrow(/the package 'no-such-package' is not installed/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("sluice and Kamelets", () => {
  let folder: CliFolder;
  beforeAll(() => {
    folder = cliFolder();
    folder.put({
      ...Object.fromEntries(Object.entries(kameletFiles).map(([name, text]) => [`project/kamelets/${name}`, text])),
      "project/node_modules/acme-kamelets/package.json": JSON.stringify({ name: "acme-kamelets", version: "1.0.0", sluice: { kamelets: "files" } }),
      "project/node_modules/acme-kamelets/files/acme-action.kamelet.yaml": (kameletFiles["greeter-action.kamelet.yaml"] as string).replaceAll(
        "greeter-action",
        "acme-action",
      ),
      "project/flows/greet.yaml": `- route:\n    id: greet\n    from:\n      uri: webhook\n      steps:\n        - to: kamelet:greeter-action?greeting=Hello\n`,
      "project/flows/greet.test.yaml": `flow: greet.yaml\ntests:\n  - name: greets\n    when: {webhook: greet, body: Ada}\n    then: [{reply: {body: Hello Ada!}}]\n`,
      "project/flows/faulty.yaml": `- route:\n    id: faulty\n    from:\n      uri: kamelet:unsupported-source?topic=x\n      steps:\n        - log: x\n`,
      "project/package.json": "{}",
    });
  });
  afterAll(() => folder.remove());
  const inProject = (line: string, env: Readonly<Record<string, string>> = {}) => folder.shell(`cd project && ${line}`, env);

  it("lint finds them in a kamelets folder above the flow", async () => {
    expect((await inProject("sluice lint flows/greet.yaml")).exit).toBe(0);
    const { exit, output } = await inProject("sluice lint flows/faulty.yaml");
    expect([exit, output]).toEqual([
      1,
      expect.stringMatching(/faulty\.yaml:4:12 connector-unknown unknown connector 'no-such-broker' \(in Kamelet 'unsupported-source', .*:15\)/),
    ]);
  });

  it("test and run use them", async () => {
    expect((await inProject("sluice test flows")).output).toContain("1 passed");
    const { output } = await folder.interruptAfter("cd project && exec sluice run flows/greet.yaml --port 0 --data-dir data", "listening");
    expect(output).not.toContain("not in service");
  });

  it("list, describe and check show the available Kamelets and whether they run", async () => {
    const list = await inProject("sluice kamelets list");
    expect(list.output).toMatch(/^greeter-action +action +Greeter$/m);
    expect(list.output.trimEnd().split("\n").slice(1)).toHaveLength(readdirSync(join(folder.path, "project/kamelets")).length);
    const { output } = await inProject("sluice kamelets describe greeter-action");
    expect(output).toContain("greeting (string, required, one of Hello, Hi): The word to greet with.");
    expect(output).toContain("secretWord (string, secret)");
    const check = await inProject("sluice kamelets check --json");
    expect(check.exit).toBe(1);
    const { kamelets, running } = JSON.parse(check.output) as { running: number; kamelets: { name: string; runs: boolean; problems: string[] }[] };
    expect(kamelets.filter(({ runs }) => !runs).map(({ name, problems }) => `${name}: ${problems[0]}`)).toEqual([
      expect.stringMatching(/^avro-sink: line 23: option 'valueSerializer' of endpoint 'kafka': expected one of /),
      expect.stringMatching(/^broken-sink: line 15: .*nonsense/),
      "registry-source: line 20: 'apicurio.registry.url' of the Java client has no equivalent here",
      "unsupported-source: line 15: unknown connector 'no-such-broker'",
    ]);
    expect(running).toBe(kamelets.length - 4);
    expect((await inProject("sluice kamelets describe greter-action")).stderr).toContain("did you mean 'greeter-action'?");
    const described = await inProject("sluice kamelets describe nosuch-source");
    expect([described.exit, described.stderr]).toEqual([1, expect.stringMatching(/Kamelet 'nosuch-source' not found in .* \(set SERVICE_KAMELETS to /)]);
  });

  it("reads the Kamelets of a package", async () => {
    const { output } = await inProject("sluice kamelets list", { SERVICE_KAMELETS: "acme-kamelets" });
    expect(output).toMatch(/^acme-action/m);
  });
});

const catalog = process.env["CAMEL_KAMELETS"];

describe.skipIf(catalog === undefined)("the public catalog (needs CAMEL_KAMELETS, a folder with the published Kamelets)", () => {
  it("has at least 39 Kamelets that run", async () => {
    const folder = cliFolder();
    try {
      const { output } = await folder.sluice("kamelets", "check", "--json", "--folder", catalog as string);
      const { running } = JSON.parse(output) as { running: number };
      expect(running).toBeGreaterThanOrEqual(39);
    } finally {
      folder.remove();
    }
  });
});
