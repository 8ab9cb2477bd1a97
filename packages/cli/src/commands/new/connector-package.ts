// The files that `sluice new connector` writes: a package in plain JavaScript, which needs no build. `SCHEME` is replaced with the
// scheme, `PREFIX` with the scheme as part of a JavaScript name.

/** An import in the generated package, not in this file. */
const importLine = (names: string, from: string): string => `import { ${names} } from "${from}";`;

/** The packages that the connector uses, and those that only its tests use. The last one is needed by the testkit. */
const libraries = { dependencies: ["connector-kit", "engine", "model"], devDependencies: ["testkit", "standard"] } as const;

/** The tarballs of these packages, as `npm run packages` names them. */
export const tarballsOf = (version: string): readonly string[] => Object.values(libraries).flatMap((names) => names.map((name) => tarball(name, version)));

const tarball = (name: string, version: string): string => `sluice-${name}-${version}.tgz`;

/** `packages` is the folder with the tarballs, relative to the package; without it the manifest names versions. */
function manifest(version: string, packages: string | undefined): string {
  const versions = (names: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(names.map((name) => [`@sluice/${name}`, packages === undefined ? version : `file:${packages}/${tarball(name, version)}`]));
  return `${JSON.stringify(
    {
      name: "sluice-connector-SCHEME",
      version: "0.1.0",
      description: "Sluice connector for SCHEME.",
      type: "module",
      engines: { node: ">=20.19" },
      files: ["src"],
      exports: "./src/index.js",
      sluice: { kit: "1", schemes: ["SCHEME"] },
      scripts: { test: "node --test test/SCHEME.test.js" },
      dependencies: versions(libraries.dependencies),
      devDependencies: versions(libraries.devDependencies),
    },
    undefined,
    2,
  )}\n`;
}

const index = `// The entry point that the runtime loads when SERVICE_CONNECTORS lists this package.
${importLine("PREFIXConnector", "./SCHEME.js")}

export const connectors = [PREFIXConnector];
`;

const declaration = `${importLine("CompileError, defineConnector", "@sluice/engine/spi")}
${importLine("f", "@sluice/model")}
${importLine("PREFIXSink", "./SCHEME-sink.js")}
${importLine("PREFIXSource", "./SCHEME-source.js")}

export const PREFIXConnector = defineConnector({
  scheme: "SCHEME",
  title: "SCHEME",
  summary: "Receives messages from a SCHEME server, or sends messages to it.",
  group: "network",
  since: "0.1",
  syntax: "SCHEME:host:port",
  roles: ["source", "sink"],
  trigger: "outside",
  exceptions: { "SCHEME.ServerException": "java.io.IOException" },
  path: {
    host: f.string({ doc: "The host of the server.", required: true }),
    port: f.integer({ doc: "The port of the server.", required: true, min: 1, max: 65535 }),
  },
  options: {
    delay: f.duration({ doc: "Delay between two polls of a source.", default: 1000 }),
    timeout: f.duration({ doc: "Timeout of a call.", default: 10_000 }),
  },
  headers: {
    MessageId: f.string({ doc: "The id of the message on the server." }),
  },
  examples: [],
  connect: (host) => ({
    source: ({ options, uri }) => PREFIXSource(options, uri, host),
    sink({ options, uri, trusted }) {
      // An endpoint taken from a message must not decide where the runtime connects to.
      if (!trusted) throw new CompileError("endpoint-refused", \`'\${uri}' comes from the message: set host and port in the flow\`);
      return PREFIXSink(options);
    },
  }),
});
`;

const call = `${importLine("FlowError", "@sluice/engine/spi")}

/** Calls the server. Fails with a FlowError that is retryable unless the server rejects the message itself. */
export async function callServer({ host, port, timeout }, method, path, body) {
  let response;
  try {
    response = await fetch(\`http://\${host}:\${port}\${path}\`, { method, body, signal: AbortSignal.timeout(timeout) });
  } catch (cause) {
    throw new FlowError("SCHEME.ServerException", \`\${host}:\${port} cannot be reached: \${cause.cause?.code ?? cause.message}\`, {
      code: "SCHEME-unreachable",
      retryable: true,
      cause,
    });
  }
  if (response.ok) return response;
  await response.body?.cancel();
  throw new FlowError("SCHEME.ServerException", \`\${host}:\${port} responded with \${response.status}\`, {
    code: "SCHEME-refused",
    retryable: response.status >= 500,
    details: { statusCode: response.status },
  });
}
`;

const sink = `${importLine("asText", "@sluice/engine/values")}
${importLine("callServer", "./call-server.js")}

/** Sends the body; the response becomes the new body. */
export function PREFIXSink(options) {
  return {
    async send({ message }) {
      const response = await callServer(options, "POST", "/messages", asText(message.body));
      message.body = await response.text();
    },
  };
}
`;

const source = `${importLine("polledSource", "@sluice/connector-kit")}
${importLine("Message, settlementOf, toFlowError", "@sluice/engine/spi")}
${importLine("callServer", "./call-server.js")}

/** Polls one message at a time, and deletes it on the server when its run is done. */
export function PREFIXSource(options, uri, host) {
  return polledSource({
    uri,
    host,
    logger: "SCHEME",
    options: {
      delay: options.delay,
      initialDelay: 0,
      useFixedDelay: true,
      greedy: true,
      repeatCount: 0,
      maxMessagesPerPoll: 1,
      sendEmptyMessageWhenIdle: false,
      exchangePattern: "InOnly",
    },
    prepare: async () => undefined,
    async poll() {
      const response = await callServer(options, "GET", "/messages");
      return response.status === 200 ? [{ id: response.headers.get("message-id"), text: await response.text() }] : [];
    },
    // The source stays started: the kit reports when the server goes down and comes back.
    problemOf: (thrown) => toFlowError(thrown).message,
    async each({ id, text }, routeInput, properties) {
      const message = Message.received(text, { MessageId: id });
      const exchange = await routeInput.deliver(message, { pattern: "InOnly", trigger: { uri }, properties });
      // A message whose run is not done stays on the server and is redelivered.
      if (settlementOf(exchange).kind !== "done") return false;
      try {
        await callServer(options, "DELETE", \`/messages/\${id}\`);
        return true;
      } catch (thrown) {
        host.log.write("WARN", "SCHEME", \`\${uri}: cannot delete message \${id}, so it will be redelivered: \${thrown.message}\`);
        return false;
      }
    },
  });
}
`;

const fakeServer = `${importLine("once", "node:events")}
${importLine("createServer", "node:http")}

/** A server that stores messages until they are deleted, and echoes posted bodies. */
export async function fakeServer() {
  const messages = new Map();
  const posted = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    if (request.method === "POST") {
      posted.push(body);
      response.end(\`got \${body}\`);
    } else if (request.method === "DELETE") {
      response.statusCode = messages.delete(request.url.split("/").at(-1)) ? 204 : 404;
      response.end();
    } else if (messages.size === 0) {
      response.statusCode = 204;
      response.end();
    } else {
      const [id, text] = messages.entries().next().value;
      response.setHeader("message-id", id);
      response.end(text);
    }
  });
  const listen = async (port) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const { port } = server.address();
  return {
    port,
    messages,
    posted,
    start: () => listen(port),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
`;

const test = `import assert from "node:assert/strict";
${importLine("after, test", "node:test")}
${importLine("FlowError", "@sluice/engine/spi")}
${importLine("connectorSuite, connectorUnderTest, FakeHost, FakeRouteInput, flow", "@sluice/testkit")}
${importLine("PREFIXConnector", "../src/SCHEME.js")}
${importLine("fakeServer", "./fake-server.js")}

const server = await fakeServer();
const uri = \`SCHEME:127.0.0.1:\${server.port}\`;
after(() => server.stop());

// The checks that every connector must pass.
for (const { name, run } of connectorSuite(PREFIXConnector, { uri })) test(name, run);

async function until(condition) {
  for (let turn = 0; turn < 500; turn++) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(\`timed out waiting for \${condition}\`);
}

async function startSource(work) {
  const host = new FakeHost();
  const routeInput = new FakeRouteInput(work);
  const source = connectorUnderTest(PREFIXConnector, host).source(uri);
  await source.start(routeInput);
  await host.clock.advance(0);
  return { host, routeInput, source };
}

test("the source removes a message when its run is done", async () => {
  server.messages.set("1", "hello");
  const { routeInput, source } = await startSource(() => undefined);
  await until(() => server.messages.size === 0);
  assert.equal(routeInput.exchanges[0].message.body, "hello");
  assert.equal(routeInput.exchanges[0].message.headers.get("MessageId"), "1");
  await source.stop();
});

test("the source keeps a message whose run failed, and delivers it again", async () => {
  server.messages.set("2", "again");
  let runs = 0;
  const { host, source } = await startSource(() => {
    if (++runs === 1) throw new FlowError("java.lang.Exception", "not yet");
  });
  await until(() => host.clock.pending === 1);
  assert.equal(server.messages.size, 1);
  await host.clock.advance(1000);
  await until(() => server.messages.size === 0);
  assert.equal(runs, 2);
  await source.stop();
});

test("the source reports a server that is down, and recovers when it is back", async () => {
  await server.stop();
  const { host, routeInput, source } = await startSource(() => undefined);
  await until(() => routeInput.problems.length === 1);
  assert.match(routeInput.problems[0], /cannot be reached: ECONNREFUSED/);
  await server.start();
  await until(() => host.clock.pending === 1);
  await host.clock.advance(1000);
  await until(() => routeInput.problems.length === 2);
  assert.equal(routeInput.problems[1], undefined);
  await source.stop();
});

test("the sink sends the body and returns the response", async () => {
  const run = await flow(\`- to: \${uri}\`, { connectors: [PREFIXConnector] });
  assert.equal((await run({ body: "order 7" })).body, "got order 7");
  assert.deepEqual(server.posted, ["order 7"]);
  await run.stop();
});

test("the sink fails with a type that flows can catch", async () => {
  await server.stop();
  const caught = "doCatch: [{exception: [SCHEME.ServerException], steps: [{setBody: {constant: caught}}]}]";
  const run = await flow(\`- doTry: {steps: [{to: "\${uri}"}], \${caught}}\`, { connectors: [PREFIXConnector] });
  assert.equal((await run({ body: "order 7" })).body, "caught");
  await run.stop();
  await server.start();
});
`;

const readme = `# sluice-connector-SCHEME

A connector for Sluice. It receives messages from a server, one at a time, and sends messages to it. The protocol is a placeholder over HTTP:
implement your own in \`src/call-server.js\` and in \`test/fake-server.js\`.

\`\`\`sh
npm install
npm test
SERVICE_CONNECTORS=. sluice start
\`\`\`

The packages \`@sluice/…\` in \`package.json\` are not on the npm registry yet. \`npm run packages\` in a clone of Sluice packs them, and \`sluice new connector --packages <folder>\` refers to the tarballs.
Once the packages are published, replace the paths with versions.

A flow uses it by its scheme:

\`\`\`yaml
- route:
    id: SCHEME-log
    from:
      uri: SCHEME:127.0.0.1:7070
      steps:
        - log: "\${body}"
\`\`\`

| File | Contents |
|---|---|
| \`package.json\` | \`sluice\`: the version of the contract, and the schemes |
| \`src/SCHEME.js\` | The declaration: path, options, headers, exceptions |
| \`src/SCHEME-source.js\`, \`src/SCHEME-sink.js\` | Receiving and sending messages |
| \`test/SCHEME.test.js\` | Runs the connector suite of \`@sluice/testkit\`, and tests against a real socket |
`;

/** The files of a connector package, by path. */
export function connectorPackage(scheme: string, version: string, packages?: string): Readonly<Record<string, string>> {
  const prefix = scheme.replaceAll(/[-.](.)/g, (_, letter: string) => letter.toUpperCase());
  const files = {
    "package.json": manifest(version, packages),
    "README.md": readme,
    "src/index.js": index,
    "src/SCHEME.js": declaration,
    "src/SCHEME-source.js": source,
    "src/SCHEME-sink.js": sink,
    "src/call-server.js": call,
    "test/SCHEME.test.js": test,
    "test/fake-server.js": fakeServer,
  };
  const fillPlaceholders = (text: string): string => text.replaceAll("SCHEME", scheme).replaceAll("PREFIX", prefix);
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [fillPlaceholders(path), fillPlaceholders(text)]));
}
