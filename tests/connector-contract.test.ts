// The contract of connectors, tested with a connector from outside the runtime.
import { describe, expect, it } from "vitest";
import { createRuntime } from "@sluice/engine";
import { defineConnector, FlowError, Message } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { catalogOf, connectorSuite, FakeHost, flow, recordingConnectors } from "@sluice/testkit";

const acme = defineConnector({
  scheme: "acme",
  title: "Acme",
  summary: "Sends to Acme.",
  group: "testing",
  since: "0.1",
  syntax: "acme:name",
  roles: ["sink"],
  exceptions: { "com.acme.AcmeException": "java.io.IOException", "com.acme.BusyException": "com.acme.AcmeException" },
  path: { name: f.string({ doc: "Name.", required: true }) },
  options: { password: f.string({ doc: "The password.", secret: true }), subject: f.string({ doc: "What to put into the body." }) },
  headers: {},
  examples: [],
  connect: () => ({
    sink({ options: { name, subject } }, scope) {
      const text = subject === undefined ? undefined : scope.expression(subject);
      return {
        send(exchange) {
          if (name === "busy") throw new FlowError("com.acme.BusyException", "too much to do");
          if (text !== undefined) exchange.message.body = text(exchange);
        },
      };
    },
  }),
});

describe("a connector", () => {
  it("passes the suite, and one that breaks the contract does not", async () => {
    for (const { run } of connectorSuite(acme, { uri: "acme:orders" })) await run();
    const failures: string[] = [];
    const wrong = { ...acme, roles: ["sink", "poller"], summary: "sends" } as const;
    for (const { name, run } of connectorSuite(wrong, { uri: "acme:orders" }))
      await Promise.resolve()
        .then(run)
        .catch(() => failures.push(name));
    expect(failures).toEqual(["documents itself and each of its options", "declares exactly the roles it implements"]);
  });

  it("declares exceptions that flows catch by their own name and by their parents'", async () => {
    for (const caught of ["com.acme.BusyException", "com.acme.AcmeException", "java.io.IOException"]) {
      const run = await flow(`- doTry: {steps: [{to: "acme:busy"}], doCatch: [{exception: [${caught}], steps: [{setBody: {constant: "${caught}"}}]}]}`, {
        connectors: [acme],
      });
      expect((await run()).body).toBe(caught);
    }
  });

  it("evaluates expressions in its options", async () => {
    const run = await flow(`- to: {uri: "acme:orders", parameters: {subject: "order \${header.id}"}}`, { connectors: [acme] });
    expect((await run({ headers: { id: 7 } })).body).toBe("order 7");
  });

  it("never compiles an expression taken from a message", async () => {
    const run = await flow(`- toD: {uri: "acme:orders?subject=\${header.given}"}`, { connectors: [acme] });
    expect((await run({ headers: { given: "${variable.secret}" } })).error).toContain("came from the message");
  });

  it("reports its secret options when they are bound", () => {
    const ignore = (): void => undefined;
    const runtime = createRuntime({
      catalog: catalogOf([...recordingConnectors().connectors, acme]),
      host: new FakeHost(),
      listener: { started: ignore, ended: ignore, retrying: ignore, routeChanged: ignore },
    });
    const source = `- route: {id: a, from: {uri: "direct:a", steps: [{to: "acme:z?password=hunter2-hunter2"}]}}`;
    expect([...runtime.prepare({ id: "f", hash: "0", source, property: () => undefined }).secrets]).toEqual(["hunter2-hunter2"]);
  });

  it("receives messages whose headers are readable but, unlike the route's own, not trusted", () => {
    const message = Message.received("x", { CamelFileName: "../../etc/passwd", id: 7 });
    expect([message.headers.get("camelfilename"), message.headers.get("id")]).toEqual(["../../etc/passwd", 7]);
    expect([message.headers.getOwn("CamelFileName"), [...message.headers.own()], [...message.copy().headers.own()]]).toEqual([undefined, [], []]);
  });
});
