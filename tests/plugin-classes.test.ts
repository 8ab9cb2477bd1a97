// Plug-ins bundle their own copy of the contract: its classes are recognized across copies.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as engine from "@sluice/engine";
import { constantOf } from "@sluice/engine/tools";
import { isJsonLimitError } from "@sluice/engine/values";
import { describe as describeField } from "@sluice/model";
import { diagnosticsOf, flow } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importSpi, installSpi } from "./own-spi-copy.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-copy-"));
let copy: Awaited<ReturnType<typeof importSpi>>;

beforeAll(async () => {
  installSpi(folder);
  copy = await importSpi(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const metadata = { title: "Foreign", summary: "A plug-in.", group: "testing", since: "0.1", examples: [] };

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

/** A sink of another copy that calls `act`. */
function foreignSink(act: (exchange: engine.Exchange) => void): engine.ConnectorDeclaration {
  const { spi, model } = copy;
  return spi.defineConnector({
    ...metadata,
    scheme: "foreign",
    syntax: "foreign:name",
    roles: ["sink"],
    headers: {},
    path: { name: model.f.string({ doc: "Name.", required: true }) },
    options: { wait: model.f.duration({ doc: "Wait.", default: 5 }), level: model.f.enum(["low", "high"], { doc: "Level.", default: "low" }) },
    connect: () => ({
      sink: ({ options }) => {
        if (options.name === "wrong") throw new spi.CompileError("bad-option", "the name is wrong", { option: "name" });
        return { send: act };
      },
    }),
  }) as unknown as engine.ConnectorDeclaration;
}

describe("classes of another copy", () => {
  it("are not the same classes, so that the tests below can fail", () => {
    expect(copy.spi.FlowError).not.toBe(engine.FlowError);
    expect(new copy.spi.Message(1)).not.toBeInstanceOf(engine.Message);
  });

  it("are recognized, and nothing else is", () => {
    const { spi, values } = copy;
    const message = new spi.Message("a");
    const route = { id: "r", flowId: "f", flowHash: "0" };
    const run = new spi.Run("1", route, 0, { uri: "x" });
    const recognized: readonly [(value: unknown) => boolean, unknown][] = [
      [engine.isFlowError, new spi.FlowError("java.lang.Exception", "x")],
      [engine.isFlowError, spi.toFlowError(new Error("x"))],
      [engine.isCompileError, new spi.CompileError("code", "x")],
      [isJsonLimitError, thrownBy(() => values.parseJsonText("[".repeat(100_000) + "]".repeat(100_000)))],
      [engine.isMessage, message],
      [engine.isHeaders, message.headers],
      [engine.isExchange, new spi.Exchange("1", run, "InOnly", message)],
    ];
    for (const [guard, value] of recognized) {
      expect(guard(value)).toBe(true);
      for (const other of [undefined, null, 1, "text", {}, new Error("x"), new Map(), () => 0]) expect(guard(other)).toBe(false);
    }
    expect(engine.isFlowError(new spi.CompileError("code", "x"))).toBe(false);
    const error = new spi.FlowError("java.lang.Exception", "x");
    expect(engine.toFlowError(error)).toBe(error);
  });

  it("cannot be imitated by data", () => {
    const forged: unknown = JSON.parse('{"Symbol(sluice.FlowError)": true, "sluice.FlowError": true}');
    expect(engine.isFlowError(forged)).toBe(false);
  });

  it("keep the metadata of fields, constants and wire headers", () => {
    const { spi, tools, model } = copy;
    expect(describeField(model.f.duration({ doc: "Wait.", default: 5 }))).toMatchObject({ kind: "duration", spec: { default: 5 } });
    expect(constantOf(tools.constantExpression(7))).toEqual({ value: 7 });
    const headers = new engine.Headers({ entries: () => [["Name", "value"]], find: () => spi.undetermined });
    expect(headers.get("name")).toBe("value");
  });

  it("fail a run with their own type, code and details", async () => {
    const failing = foreignSink(() => {
      throw new copy.spi.FlowError("java.net.ConnectException", "down", { code: "foreign-down", retryable: true, details: { port: 7 } });
    });
    const send = await flow(
      `
      - onException:
          exception: [java.net.ConnectException]
          handled: {constant: true}
          steps:
            - setBody: {simple: "caught \${exception.message} \${exception.port}"}
      - route:
          id: start
          from:
            uri: direct:start
            steps:
              - to: foreign:x?wait=1s&level=HIGH
      `,
      { connectors: [failing] },
    );
    const { body, error } = await send({ body: "a" });
    expect({ body, error }).toEqual({ body: "caught down 7", error: undefined });
    await send.stop();
  });

  it("may replace the message and its parts", async () => {
    const replacing = foreignSink((exchange) => {
      const parts = [new copy.spi.Message("one", copy.spi.Headers.of({ n: 1 })), new copy.spi.Message("two", copy.spi.Headers.of({ n: 2 }))];
      exchange.message = new copy.spi.Message(parts) as unknown as engine.Message;
    });
    const send = await flow(
      `
      - to: foreign:x
      - split:
          simple: "\${body}"
          steps:
            - setBody: {simple: "\${body} \${header.n}"}
            - to: mock:parts
      `,
      { connectors: [replacing] },
    );
    const { error } = await send({ body: "a" });
    expect(error).toBeUndefined();
    expect(send.mocks.get("parts")?.map(({ body }) => body)).toEqual(["one 1", "two 2"]);
    await send.stop();
  });

  it("report errors of a flow at their position", async () => {
    await expect(flow("- to: foreign:wrong", { connectors: [foreignSink(() => undefined)] })).rejects.toThrow(/^line \d+: bad-option: .*the name is wrong/);
    await expect(flow("- to: foreign:x?level=middle", { connectors: [foreignSink(() => undefined)] })).rejects.toThrow("expected one of low, high");
    expect(diagnosticsOf("- to: foreign:x")).toEqual([expect.stringContaining("foreign")]);
  });
});
