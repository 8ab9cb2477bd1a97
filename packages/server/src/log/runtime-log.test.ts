import { closeSync, mkdtempSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createSecretValues } from "../masking/secret-values.ts";
import { createBatchedWriter, type BatchedWriter } from "./batched-writer.ts";
import { createRuntimeLog } from "./runtime-log.ts";

interface OpenLog {
  readonly writer: BatchedWriter;
  text(): string;
  /** Resolves when the file ends with this line. Only then may it be closed: a pending write would hit a reused descriptor. */
  written(lastLine: string): Promise<void>;
  end(): void;
}

function openLog(maxBytes = 1_000_000): OpenLog {
  const path = join(mkdtempSync(join(tmpdir(), "sluice-log-")), "log");
  const fileDescriptor = openSync(path, "w");
  const writer = createBatchedWriter({ fileDescriptor, maxBytes, dropped: (count) => `dropped ${count}` });
  const text = (): string => readFileSync(path, "utf8");
  const written = (lastLine: string): Promise<void> =>
    vi.waitFor(() => expect(`\n${text()}`.endsWith(`\n${lastLine}\n`)).toBe(true), { timeout: 120_000, interval: 5 });
  return { writer, text, written, end: () => closeSync(fileDescriptor) };
}

describe("batched writer", () => {
  it("writes nothing before it is opened, then the first line, then the rest in order", async () => {
    const { writer, text, written, end } = openLog();
    writer.add("one");
    writer.open("ready");
    writer.add("two");
    await written("two");
    for (let index = 0; index < 1_000; index++) writer.add(`line ${index}`);
    await written("line 999");
    expect(text()).toBe(`ready\none\ntwo\n${Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`).join("")}`);
    end();
  });

  it("returns its recent lines, including those not yet written, within a limit", async () => {
    const { writer, written, end } = openLog(20_000_000);
    writer.open();
    writer.add("first");
    expect(writer.recent()).toEqual(["first"]);
    await written("first");
    writer.add("second");
    expect(writer.recent()).toEqual(["first", "second"]);
    for (let batch = 0; batch < 5; batch++) {
      for (let index = 0; index < 2_000; index++) writer.add(`${batch}-${index}-${"x".repeat(90)}`);
      await written(`${batch}-1999-${"x".repeat(90)}`);
    }
    const recentLines = writer.recent();
    expect(recentLines.at(-1)).toMatch(/^4-1999-x{90}$/);
    expect(recentLines.every((line) => /^\d-\d+-x{90}$/.test(line))).toBe(true);
    const bytes = recentLines.reduce((sum, line) => sum + line.length + 1, 0);
    expect(bytes).toBeLessThanOrEqual(256 * 1024);
    writer.add("y".repeat(1_000_000));
    writer.add("last");
    await written("last");
    expect(writer.recent()).toEqual(["last"]);
    end();
  });

  it("drops lines that do not fit and reports how many", async () => {
    const { writer, text, written, end } = openLog(50);
    for (let index = 0; index < 10; index++) writer.add("x".repeat(20));
    writer.open();
    await written("dropped 8");
    expect(text()).toBe(`${"x".repeat(20)}\n${"x".repeat(20)}\ndropped 8\n`);
    end();
  });

  it("writes waiting lines when it closes", () => {
    const { writer, text, end } = openLog();
    writer.open();
    writer.add("last line");
    writer.close();
    expect(text()).toBe("last line\n");
    end();
  });
});

describe("log records", () => {
  const recordsOf = async (write: (log: ReturnType<typeof createRuntimeLog>) => void): Promise<any[]> => {
    const { writer, text, written, end } = openLog(10_000_000);
    const secrets = createSecretValues();
    secrets.set("x", ["S3CR3T-1"]);
    write(createRuntimeLog({ level: "INFO", writer, secrets, now: () => 0 }));
    writer.add("done");
    writer.open();
    await written("done");
    end();
    return text()
      .split("\n")
      .slice(0, -2)
      .map((line) => JSON.parse(line));
  };

  it("line breaks, terminal escapes and forged records stay inside one record", async () => {
    const evil = 'a\n{"level":"ERROR","message":"fake"}\r\n\u001b[31mred\u009b0m\u2028end';
    const lines = await recordsOf((log) => log.write("INFO", "x", evil));
    expect(lines).toEqual([{ time: "1970-01-01T00:00:00.000Z", level: "INFO", logger: "x", message: evil }]);
  });

  it("the raw line contains no control character", async () => {
    const { writer, text, written, end } = openLog();
    const evil = "\u001b[2J\u009b\u0085\u2028";
    const fields = { [evil]: evil, error: new Error(evil), inner: { [evil]: [evil] } };
    createRuntimeLog({ level: "INFO", writer, secrets: createSecretValues(), now: () => 0 }).write("INFO", "x", evil, undefined, fields);
    writer.add("done");
    writer.open();
    await written("done");
    end();
    expect(text()).toMatch(/^[\u0020-\u007e]+\ndone\n$/);
  });

  it("truncates long text, masks secrets and passwords, and omits lower levels", async () => {
    const lines = await recordsOf((log) => {
      log.write("DEBUG", "x", "unseen");
      log.write("WARN", "x", "z".repeat(1_000_000));
      log.write("WARN", "x", "S3CR3T-1 at http://u:pw@h", undefined, { note: "S3CR3T-1", error: new Error("boom") });
    });
    expect(lines.length).toBe(2);
    expect(lines[0].message.length).toBeLessThan(66_000);
    expect(lines[0].message).toMatch(/… \(934464 more characters\)$/);
    expect(lines[1]).toMatchObject({ message: "*** at http://u:***@h", note: "***", error: expect.stringContaining("boom") });
  });

  it("masks passwords of URIs in fields, including the stack of an error and nested values", async () => {
    const uri = "http://u:pw-1@h?x=1&access_token=pw-2";
    const [line] = await recordsOf((log) => log.write("ERROR", "x", "failed", undefined, { error: new Error(`GET ${uri}`), uri, inner: [{ uri }], n: 1 }));
    expect(JSON.stringify(line)).not.toMatch(/pw-\d/);
    const shown = "http://u:***@h?x=1&access_token=***";
    expect(line).toMatchObject({ error: expect.stringContaining(`GET ${shown}\n    at `), uri: shown, inner: [{ uri: shown }], n: 1 });
  });

  it("masks secrets and passwords that straddle the end of a truncated text", async () => {
    const lines = await recordsOf((log) => {
      for (const secret of ["S3CR3T-1", "http://u:pw-12345@h"])
        for (let cut = 1; cut < secret.length; cut++) log.write("WARN", "x", `${"z".repeat(65_536 - cut)}${secret} end`);
    });
    const endings = lines.map(({ message }) => (message as string).slice(65_500));
    expect(endings.filter((ending) => /zS3|pw-/.test(ending))).toEqual([]);
    expect(endings[0]).toMatch(/^z+\*… \(6 more characters\)$/);
  });
});
