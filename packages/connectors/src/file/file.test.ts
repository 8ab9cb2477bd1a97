import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { FlowError, Headers, type Clock, type Processor, type Source } from "@sluice/engine/spi";
import { connectorUnderTest, eventually, exchangeOf, failureOf, FakeRouteInput, realTimeHost, realClock } from "@sluice/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileConnector } from "./file.ts";

let base = "";
const sources: Source[] = [];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "sluice-file-"));
});
afterEach(async () => {
  for (const source of sources.splice(0)) await source.stop();
  await rm(base, { recursive: true, force: true });
});

/** `capture` is called for each timer, and keeps those that the test fires itself. */
function setUp(capture: (ms: number, run: () => void) => boolean = () => false) {
  const idle = { wake: (): void => undefined };
  // After a poll, the source sets a timer for the next poll. Here it is an hour away, so this timer shows that the poll is done.
  const clock: Clock = {
    ...realClock,
    after(ms, run) {
      if (capture(ms, run)) return () => undefined;
      if (ms < 3_000_000) return realClock.after(ms, run);
      idle.wake();
      return () => undefined;
    },
  };
  const host = Object.assign(realTimeHost(), { clock });
  return { host, idle, ...connectorUnderTest(fileConnector({ root: base }), host) };
}

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(base, name)), { recursive: true });
    await writeFile(join(base, name), text);
  }
}

/** All files below the base with their content, except those behind links, which a recursive `readdir` follows on some versions of Node. */
async function tree(folder = base): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) found[path.slice(base.length + 1)] = await readFile(path, "utf8");
    else if (entry.isDirectory()) Object.assign(found, await tree(path));
  }
  return found;
}

/** Polls the directory once and returns everything that was delivered. */
async function pollOnce(uri: string, work: Processor = () => undefined, setup = setUp()) {
  const routeInput = new FakeRouteInput(work);
  const source = setup.source(`${uri}${uri.includes("?") ? "&" : "?"}initialDelay=0&delay=1h`);
  const idle = new Promise<void>((resolve) => (setup.idle.wake = resolve));
  await source.start(routeInput);
  await idle;
  await source.stop();
  return { routeInput, setup, names: routeInput.exchanges.map((exchange) => exchange.message.headers.get("CamelFileName")) };
}

describe("reading", () => {
  it("delivers files in the order of their names and moves them to .camel when their run succeeded", async () => {
    await put({ "in/b.txt": "bee", "in/a.txt": "ay", "in/.hidden": "no", "in/sub/c.txt": "no" });
    const { routeInput, names } = await pollOnce("file:in");
    expect(names).toEqual(["a.txt", "b.txt"]);
    expect(routeInput.bodies.map((body) => new TextDecoder().decode(body as Uint8Array))).toEqual(["ay", "bee"]);
    const batch = routeInput.exchanges.map((exchange) => ["CamelBatchIndex", "CamelBatchSize", "CamelBatchComplete"].map((name) => exchange.property(name)));
    expect(batch).toEqual([
      [0, 2, false],
      [1, 2, true],
    ]);
    expect(routeInput.deliveries.map((delivery) => delivery?.pattern)).toEqual(["InOnly", "InOnly"]);
    expect(await tree()).toEqual({ "in/.camel/a.txt": "ay", "in/.camel/b.txt": "bee", "in/.hidden": "no", "in/sub/c.txt": "no" });
    const headers = routeInput.exchanges[0]?.message.headers;
    expect([headers?.get("CamelFileLength"), headers?.get("CamelFileNameOnly"), headers?.get("CamelFileAbsolutePath")]).toEqual([
      2,
      "a.txt",
      join(base, "in/a.txt"),
    ]);
  });

  it.each([
    ["delete=true", {}],
    ["noop=true", { "in/x.txt": "x" }],
    ["move=done", { "in/done/x.txt": "x" }],
    ["move=../archive/${file:name.noext}-${date:now:yyyy}.bak", { [`archive/x-${new Date().getFullYear()}.bak`]: "x" }],
    ["preMove=.work&move=done", { "in/done/x.txt": "x" }],
  ])("handles a processed file with %s", async (options, remaining) => {
    await put({ "in/x.txt": "x" });
    await pollOnce(`file:in?${options.replaceAll("${", "%24%7B").replaceAll("}", "%7D")}`);
    expect(await tree()).toEqual(remaining);
  });

  it.each([
    ["move=done", { "in/x.txt": "x" }],
    ["delete=true", { "in/x.txt": "x" }],
    ["moveFailed=.error", { "in/.error/x.txt": "x" }],
    ["preMove=.work", { "in/x.txt": "x" }],
  ])("handles a failed file with %s; reads it again if it stays in the directory", async (options, remaining) => {
    await put({ "in/x.txt": "x" });
    const fail = (): never => {
      throw new FlowError("java.io.IOException", `no ${options}`);
    };
    const { setup } = await pollOnce(`file:in?${options}`, fail);
    expect(await tree()).toEqual(remaining);
    const secondPoll = await pollOnce(`file:in?${options}`, undefined, setup);
    expect(secondPoll.names).toEqual("in/x.txt" in remaining ? ["x.txt"] : []);
  });

  it("moves a file only after its run, so that a crash loses nothing", async () => {
    await put(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`in/${i}.txt`, String(i)])));
    const first = setUp();
    const crashed = first.source("file:in?initialDelay=0&delete=true");
    let started = 0;
    await crashed.start(new FakeRouteInput(() => (++started > 7 ? new Promise(() => undefined) : undefined)));
    await eventually(() => started === 8);
    expect(Object.keys(await tree()).length).toBe(13);
    const { names } = await pollOnce("file:in?delete=true");
    expect(names.length).toBe(13);
    expect(await tree()).toEqual({});
  });

  it("delivers a file to one consumer at a time", async () => {
    await put({ "in/x.txt": "x" });
    const setup = setUp();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = () => resolve()));
    const slow = setup.source("file:in?initialDelay=0");
    const routeInput = new FakeRouteInput(() => held);
    await slow.start(routeInput);
    await eventually(() => routeInput.exchanges.length === 1);
    const other = await pollOnce("file:in", undefined, setup);
    expect(other.names).toEqual([]);
    release();
    await slow.stop();
    expect(await tree()).toEqual({ "in/.camel/x.txt": "x" });
  });

  it("reads a file that stays in place once, and again when its key changes", async () => {
    await put({ "in/x.txt": "x" });
    const setup = setUp();
    const uri = `file:in?noop=true&idempotentKey=${encodeURIComponent("${file:name}-${file:size}")}`;
    expect((await pollOnce(uri, undefined, setup)).names).toEqual(["x.txt"]);
    expect((await pollOnce(uri, undefined, setup)).names).toEqual([]);
    await put({ "in/x.txt": "longer" });
    expect((await pollOnce(uri, undefined, setup)).names).toEqual(["x.txt"]);
  });

  it.each([
    [String.raw`include=.*\.TXT`, ["a.txt", "b.txt"]],
    [String.raw`exclude=a.*`, ["b.txt", "c.csv"]],
    ["includeExt=csv,xml", ["c.csv"]],
    ["recursive=true&antInclude=**/*.xml", ["sub/d.xml", "sub/deep/e.xml"]],
    ["recursive=true&antInclude=sub/?.xml", ["sub/d.xml"]],
    ["recursive=true&minDepth=2&maxDepth=2", ["sub/d.xml"]],
    ["fileName=b.txt", ["b.txt"]],
    ["sortBy=reverse:file:name", ["c.csv", "b.txt", "a.txt"]],
    ["sortBy=file:ext;reverse:file:length", ["c.csv", "b.txt", "a.txt"]],
    ["maxMessagesPerPoll=2", ["a.txt", "b.txt"]],
    ["recursive=true&flatten=true&include=d.*", ["d.xml"]],
  ])("filters and sorts by %s", async (options, expected) => {
    await put({ "in/a.txt": "1", "in/b.txt": "22", "in/c.csv": "3", "in/sub/d.xml": "4", "in/sub/deep/e.xml": "5" });
    expect((await pollOnce(`file:in?noop=true&${options}`)).names).toEqual(expected);
  });

  it("waits for the done file, and removes it afterwards", async () => {
    await put({ "in/a.txt": "a", "in/b.txt": "b", "in/b.txt.done": "" });
    const { names } = await pollOnce(`file:in?doneFileName=${encodeURIComponent("${file:name}.done")}&delete=true`);
    expect(names).toEqual(["b.txt"]);
    expect(await tree()).toEqual({ "in/a.txt": "a" });
  });

  it("reads text in a charset, and long files as a stream that can be read again", async () => {
    await mkdir(join(base, "in"));
    await writeFile(join(base, "in/x.txt"), Buffer.from("Grüße", "latin1"));
    expect((await pollOnce("file:in?noop=true&charset=iso-8859-1")).routeInput.bodies).toEqual(["Grüße"]);
    const read: string[] = [];
    await pollOnce("file:in?delete=true&streamOver=2", async ({ message }) => {
      for (let pass = 0; pass < 2; pass++) {
        let text = "";
        for await (const chunk of message.body as AsyncIterable<Uint8Array>) text += Buffer.from(chunk).toString("latin1");
        read.push(text);
      }
    });
    expect(read).toEqual(["Grüße", "Grüße"]);
    expect(await tree()).toEqual({});
  });

  it("does not read a file while it grows (readLock=changed)", async () => {
    const path = join(base, "in/x.txt");
    const setTime = (seconds: number): Promise<void> => utimes(path, seconds, seconds);
    await put({ "in/x.txt": "1" });
    await setTime(1_000);
    const checks: (() => void)[] = [];
    const setup = setUp((ms, run) => ms === 1500 && checks.push(run) > 0);
    const routeInput = new FakeRouteInput();
    const source = setup.source("file:in?initialDelay=0&readLock=changed&readLockCheckInterval=1500&readLockTimeout=1h");
    sources.push(source);
    await source.start(routeInput);
    const grow = async (length: number): Promise<void> => {
      await writeFile(path, "1".repeat(length));
      await setTime(1_000);
    };
    for (const change of [() => grow(2), () => grow(7), () => setTime(2_000)]) {
      await eventually(() => checks.length === 1);
      await change();
      checks.pop()?.();
    }
    await eventually(() => checks.length === 1);
    expect(routeInput.exchanges).toEqual([]);
    checks.pop()?.();
    await eventually(() => routeInput.exchanges.length === 1);
    expect((routeInput.bodies[0] as Uint8Array).length).toBe(7);
  });

  it("skips a file with a marker file, and removes markers left by a crash (readLock=markerFile)", async () => {
    await put({ "in/x.txt": "x", "in/x.txt.camelLock": "" });
    expect((await pollOnce("file:in?readLock=markerFile&readLockDeleteOrphanLockFiles=false")).names).toEqual([]);
    const during: string[][] = [];
    const { names } = await pollOnce("file:in?readLock=markerFile", async () => void during.push(await readdir(join(base, "in"))));
    expect([names, during]).toEqual([["x.txt"], [["x.txt", "x.txt.camelLock"]]]);
    expect(await tree()).toEqual({ "in/.camel/x.txt": "x" });
  });

  it("does not follow links that point outside the directory", async () => {
    await put({ "secret.txt": "s", "in/real.txt": "r" });
    await symlink(join(base, "secret.txt"), join(base, "in/out.txt"));
    await symlink(base, join(base, "in/up"));
    await symlink(join(base, "in/real.txt"), join(base, "in/inside.txt"));
    expect((await pollOnce("file:in?noop=true&recursive=true")).names).toEqual(["inside.txt", "real.txt"]);
  });

  it("sends an empty message when idle, and creates or requires the directory", async () => {
    expect((await pollOnce("file:new?sendEmptyMessageWhenIdle=true")).routeInput.bodies).toEqual([null]);
    expect((await stat(join(base, "new"))).isDirectory()).toBe(true);
    const failure = await failureOf(() => setUp().source("file:missing?directoryMustExist=true").start(new FakeRouteInput()));
    expect(failure.message).toBe("the directory 'missing' does not exist: create it, or correct the path");
  });

  it("logs and continues when a file cannot be processed", async () => {
    await put({ "in/a.txt": "a", "in/b.txt": "b", "in/.camel": "a file where a folder must be" });
    const { setup, names } = await pollOnce("file:in");
    expect(names).toEqual(["a.txt", "b.txt"]);
    expect(setup.host.log.records.map(({ level }) => level)).toEqual(["WARN", "WARN"]);
  });

  it("rejects invalid options at deploy time", () => {
    const { source, sink } = setUp();
    expect(() => source("file:in?noop=true&delete=true")).toThrow(/cannot both/);
    expect(() => source("file:in?include=(?=x)")).toThrow(/include/);
    expect(() => source("file:in?charset=no-such-charset")).toThrow(/no-such-charset/);
    expect(() => source("file:in?sortBy=color")).toThrow(/color/);
    expect(() => source(`file:in?move=${encodeURIComponent("${bean:x}")}`)).toThrow(/'\$\{bean:x\}' cannot be used in move/);
    expect(() => sink("file:out/../../etc")).toThrow(/must not contain '\.\.'/);
    expect(() => sink("file:out?jailStartingDirectory=false")).toThrow(/cannot be switched off/);
    expect(() => sink("file:out?fileExist=Move")).toThrow(/moveExisting/);
  });
});

describe("writing", () => {
  const send = async (uri: string, body: unknown, headers: Readonly<Record<string, unknown>> = {}) => {
    const exchange = exchangeOf(body, headers);
    await setUp().sink(uri).send(exchange);
    return exchange;
  };

  it.each([
    ["text", "text"],
    [new Uint8Array([104, 105]), "hi"],
    [{ a: 1 }, '{"a":1}'],
    [
      (async function* () {
        yield "st";
        yield Buffer.from("ream");
      })(),
      "stream",
    ],
  ])("writes a body of any type (%#) and leaves no temporary file", async (body, text) => {
    const exchange = await send("file:out", body, { CamelFileName: "sub/x.txt" });
    expect(await tree()).toEqual({ "out/sub/x.txt": text });
    expect(exchange.message.headers.get("CamelFileNameProduced")).toBe(join(base, "out/sub/x.txt"));
  });

  it("names the file from the option, the header or the message id", async () => {
    const { id } = await send("file:out", "1");
    await send(`file:out?fileName=${encodeURIComponent("r-${header.n}-${date:now:yyyy}.txt")}`, "2", { n: 7, CamelFileName: "no.txt" });
    const { message } = await send("file:out?fileName=no.txt", "3", { CamelOverruleFileName: "over.txt" });
    expect(message.headers.has("CamelOverruleFileName")).toBe(false);
    expect(await tree()).toEqual({ [`out/${id}`]: "1", [`out/r-7-${new Date().getFullYear()}.txt`]: "2", "out/over.txt": "3" });
  });

  it("ignores a name received from outside", async () => {
    const exchange = exchangeOf("x");
    exchange.message.headers = new Headers({ entries: () => [["CamelFileName", "evil.txt"]] });
    await setUp().sink("file:out").send(exchange);
    expect(Object.keys(await tree())).toEqual([`out/${exchange.id}`]);
  });

  it.each(["../../x", "..", "/etc/x", "a/../../b", "a\0b", "n".repeat(300), "..\\x", "C:\\x", "a/", "x/" + "y/".repeat(3000) + "z"])(
    "rejects the name %j",
    async (name) => {
      const filesBefore = await tree();
      const failure = await failureOf(() => send("file:out", "x", { CamelFileName: name }));
      expect(failure.code).toBe("file-name-refused");
      expect(failure.message).not.toContain(base);
      expect((await failureOf(() => send(`file:out?fileName=${encodeURIComponent("p/${header.n}")}`, "x", { n: name }))).code).toBe("file-name-refused");
      expect(await tree()).toEqual(filesBefore);
    },
  );

  it("does not write through links that point outside the directory", async () => {
    await put({ "outside/keep.txt": "kept", "out/a.txt": "a" });
    await symlink(join(base, "outside"), join(base, "out/link"));
    await symlink(join(base, "outside/keep.txt"), join(base, "out/file"));
    expect((await failureOf(() => send("file:out", "x", { CamelFileName: "link/new.txt" }))).code).toBe("file-name-refused");
    await failureOf(() => send("file:out?fileExist=Append", "x", { CamelFileName: "file" }));
    await send("file:out", "replaced", { CamelFileName: "file" });
    expect(await tree()).toEqual({ "outside/keep.txt": "kept", "out/a.txt": "a", "out/file": "replaced" });
  });

  it.each([
    ["Override", { "out/x.txt": "new" }],
    ["TryRename", { "out/x.txt": "new" }],
    ["Append", { "out/x.txt": "oldnew" }],
    ["Ignore", { "out/x.txt": "old" }],
    ["Move&moveExisting=backup", { "out/x.txt": "new", "out/backup/x.txt": "old" }],
  ])("handles an existing file: %s", async (fileExist, remaining) => {
    await put({ "out/x.txt": "old" });
    await send(`file:out?fileExist=${fileExist}`, "new", { CamelFileName: "x.txt" });
    expect(await tree()).toEqual(remaining);
  });

  it("fails for an existing file with Fail, and lets only one of many concurrent writers succeed", async () => {
    const sink = setUp().sink("file:out?fileExist=Fail");
    const attempt = async (i: number): Promise<string> => {
      try {
        await sink.send(exchangeOf(String(i), { CamelFileName: "x.txt" }));
        return "ok";
      } catch (error) {
        return (error as FlowError).code;
      }
    };
    const attempts = Array.from({ length: 20 }, (_, i) => attempt(i));
    const outcomes = await Promise.all(attempts);
    expect(outcomes.filter((outcome) => outcome === "ok").length).toBe(1);
    expect(outcomes.filter((outcome) => outcome === "file-exists").length).toBe(19);
    expect(Object.keys(await tree())).toEqual(["out/x.txt"]);
  });

  it("appends complete messages with appendChars, even concurrently", async () => {
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        send(`file:out?fileExist=Append&appendChars=${encodeURIComponent("\\n")}`, `line${i}`, { CamelFileName: "log.txt" }),
      ),
    );
    const lines = (await readFile(join(base, "out/log.txt"), "utf8")).split("\n");
    expect(lines.length).toBe(51);
  });

  it("never exposes a partial file, and keeps the old one when the body fails", async () => {
    await put({ "out/x.txt": "old" });
    const seen: string[] = [];
    const body = (async function* () {
      yield "half";
      seen.push(await readFile(join(base, "out/x.txt"), "utf8"));
      throw new FlowError("java.io.IOException", "source broke");
    })();
    expect((await failureOf(() => send("file:out?tempPrefix=tmp-", body, { CamelFileName: "x.txt" }))).message).toBe("source broke");
    expect([seen, await tree()]).toEqual([["old"], { "out/x.txt": "old" }]);
  });

  it("writes a done file and applies permissions, time and charset", async () => {
    await send(`file:out?doneFileName=${encodeURIComponent("${file:name}.ok")}&chmod=640&keepLastModified=true&charset=iso-8859-1`, "ü", {
      CamelFileName: "x.txt",
      CamelFileLastModified: 1_000_000_000_000,
    });
    expect(await readFile(join(base, "out/x.txt"))).toEqual(Buffer.from([0xfc]));
    const { mode, mtimeMs } = await stat(join(base, "out/x.txt"));
    expect([mode & 0o777, mtimeMs]).toEqual([0o640, 1_000_000_000_000]);
    expect((await readdir(join(base, "out"))).toSorted()).toEqual(["x.txt", "x.txt.ok"]);
  });

  it("fails for an empty message unless allowed", async () => {
    expect((await failureOf(() => send("file:out", null, { CamelFileName: "x" }))).code).toBe("file-no-body");
    await send("file:out?allowNullBody=true", null, { CamelFileName: "x" });
    expect(await tree()).toEqual({ "out/x": "" });
  });

  it("reports errors without absolute paths", async () => {
    await put({ out: "a file" });
    const failure = await failureOf(() => send("file:out", "x"));
    expect(failure.type).toBe("org.apache.camel.component.file.GenericFileOperationFailedException");
    expect(failure.message).not.toContain(base);
  });
});

it("sorts files by modification time", async () => {
  await put({ "in/new.txt": "n", "in/old.txt": "o" });
  await utimes(join(base, "in/old.txt"), 1000, 1000);
  expect((await pollOnce("file:in?noop=true&sortBy=date")).names).toEqual(["old.txt", "new.txt"]);
});
