// The lock between processes that build and pack in the same folders.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withLock } from "../scripts/with-lock.mjs";
import { temporaryFolder } from "./temporary-folder.ts";

it("lets one holder work at a time, and is free afterwards, also after an error", async () => {
  const file = join(temporaryFolder(), "one/at-a-time.lock");
  const events: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    events.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    events.push(`${name} ends`);
    if (name === "b") throw new Error("b failed");
    return name;
  };
  const results = await Promise.allSettled(["a", "b", "c"].map((name) => withLock(file, work(name))));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  for (let index = 0; index < events.length; index += 2) expect(events[index + 1]).toBe(events[index]?.replace("begins", "ends"));
  expect(events).toHaveLength(6);
  expect(existsSync(file)).toBe(false);
});

it("waits for another process that holds it, and takes it over from one that has ended", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "held.lock");
  const holder = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1_000)"], { stdio: "ignore" });
  writeFileSync(file, String(holder.pid));
  let isTaken = false;
  const taking = withLock(file, () => (isTaken = true));
  // Another lock is taken meanwhile.
  await withLock(join(folder, "other.lock"), () => undefined);
  expect(isTaken).toBe(false);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await taking;
  expect(isTaken).toBe(true);
});
