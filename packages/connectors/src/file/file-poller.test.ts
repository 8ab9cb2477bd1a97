import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FlowError } from "@sluice/engine/spi";
import { connectorUnderTest, exchangeOf, failureOf, realTimeHost } from "@sluice/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileConnector } from "./file.ts";

let base = "";
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "sluice-poll-"));
  await mkdir(join(base, "in"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const poller = (uri: string) => connectorUnderTest(fileConnector({ root: base }), realTimeHost()).poller(uri);
const put = (name: string, text: string) => writeFile(join(base, "in", name), text);
const names = async () => (await readdir(join(base, "in"), { recursive: true })).filter((name) => name.endsWith(".txt")).toSorted();

describe("polling", () => {
  it("returns a file, waits for one, or times out", async () => {
    await put("a.txt", "a");
    await put("b.txt", "b");
    const { receive } = poller("file:in?sortBy=file:name&charset=utf-8");
    expect((await receive(0, exchangeOf()))?.body).toBe("a");
    expect((await receive(0, exchangeOf()))?.body).toBe("b");
    expect(await receive(50, exchangeOf())).toBeUndefined();
    const waiting = receive(120_000, exchangeOf());
    await put("c.txt", "c");
    expect((await waiting)?.body).toBe("c");
    expect(await names()).toEqual([".camel/a.txt", ".camel/b.txt", ".camel/c.txt"]);
  });

  it("never moves a file out of the directory", async () => {
    await put("a.txt", "a");
    const { receive } = poller("file:in?move=/tmp/elsewhere");
    expect((await failureOf(() => receive(0, exchangeOf()))).code).toBe("file-name-refused");
    expect(await names()).toEqual(["a.txt"]);
  });

  it("ends when the run is cancelled", async () => {
    const exchange = exchangeOf();
    const failing = failureOf(() => poller("file:in").receive(-1, exchange));
    exchange.run.cancel(new FlowError("java.lang.IllegalStateException", "stop"));
    expect((await failing).message).toBe("stop");
  });
});
