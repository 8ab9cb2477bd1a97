import { expect, it } from "vitest";
import { checkClients, checkClock, checkDirectory, checkParts } from "./checks.ts";

it("compares the clock with the Date header of a response, which has a resolution of one second", () => {
  const date = "Sat, 14 Nov 2026 16:02:33 GMT";
  const at = Date.parse(date);
  expect(checkClock(date, at + 100, at + 900)).toMatchObject({ state: "ok", text: "in sync" });
  expect(checkClock(date, at + 9_000, at + 9_100)).toMatchObject({ state: "warning", text: "8.0 s difference" });
  expect(checkClock(date, at - 20_000, at - 19_000)).toMatchObject({ state: "warning", text: "19.0 s difference" });
  expect(checkClock(null, 0, 0).state).toBe("warning");
});

it("reports a data directory that cannot be created as a problem", async () => {
  expect(await checkDirectory("/dev/null/data")).toMatchObject({ state: "problem", text: expect.stringContaining("ENOTDIR") });
});

it("lists the platform and the optional parts, with a fix for each missing one", () => {
  const found = checkParts({ enableJs: true, functions: "/nowhere/functions.mjs" });
  expect(found).toMatchObject([
    { check: "platform", state: "ok", text: expect.stringContaining(`${process.platform} ${process.arch}`) },
    { check: "durable store", state: "ok", text: expect.stringContaining("SQLite") },
    { check: "js language", state: "ok", text: "QuickJS is installed, enabled" },
    { check: "functions", state: "warning", text: "/nowhere/functions.mjs does not exist", fix: expect.stringContaining("SERVICE_FUNCTIONS") },
  ]);
});

it("lists clients with their version, the command that installs them, and a warning for an untested major version", () => {
  const part = { users: ["kafka"], package: "kafkajs", tested: "2.2.4", install: "npm i kafkajs@2.2.4" };
  expect(checkClients([{ ...part, installed: undefined, isTested: false }])).toMatchObject([
    { state: "ok", text: "kafkajs is not installed; kafka needs it: npm i kafkajs@2.2.4" },
  ]);
  expect(checkClients([{ ...part, installed: "2.3.0", isTested: true }])).toMatchObject([{ state: "ok", text: "kafkajs 2.3.0 (kafka)" }]);
  expect(checkClients([{ ...part, installed: "3.0.0", isTested: false }])).toMatchObject([{ state: "warning", fix: "npm i kafkajs@2.2.4" }]);
});
