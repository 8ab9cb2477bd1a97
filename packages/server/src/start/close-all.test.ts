import { expect, it } from "vitest";
import { closeAll } from "./close-all.ts";

it("closes every part, in order, even when an earlier one fails", async () => {
  const closed: string[] = [];
  const lines: string[] = [];
  const log = { enabled: () => true, write: (level: string, logger: string, text: string) => void lines.push(`${level} ${logger} ${text}`) };
  await closeAll(log, {
    watcher() {
      throw new Error("gone");
    },
    "cluster store": () => Promise.reject(new Error("unreachable")),
    "run store": () => Promise.resolve(void closed.push("run store")),
    "data lock": () => void closed.push("data lock"),
  });
  expect(closed).toEqual(["run store", "data lock"]);
  expect(lines).toEqual(["ERROR sluice Cannot close the watcher: gone", "ERROR sluice Cannot close the cluster store: unreachable"]);
});
