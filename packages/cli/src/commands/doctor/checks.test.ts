import { createServer, type AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { checkClock, checkDirectory, checkNode, checkPort } from "./checks.ts";

it.each([
  ["18.20.0", "problem"],
  ["20.18.9", "problem"],
  ["20.19.0", "ok"],
  ["24.1.0", "ok"],
])("Node %s is a %s", (version, state) => expect(checkNode(version).state).toBe(state));

it("a clock is judged by the date of a reply, which has whole seconds", () => {
  const date = "Sat, 14 Nov 2026 16:02:33 GMT";
  const at = Date.parse(date);
  expect(checkClock(date, at + 100, at + 900)).toMatchObject({ state: "ok", text: "the clocks are together" });
  expect(checkClock(date, at + 9_000, at + 9_100)).toMatchObject({ state: "warning", text: "the clocks are 8.0 s apart" });
  expect(checkClock(date, at - 20_000, at - 19_000)).toMatchObject({ state: "warning", text: "the clocks are 19.0 s apart" });
  expect(checkClock(null, 0, 0).state).toBe("warning");
});

it("a port that is used is a problem unless Sluice uses it", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await checkPort("runtime", "127.0.0.1", port, "SERVICE_PORT", async () => false)).toMatchObject({
    state: "problem",
    fix: expect.stringContaining("SERVICE_PORT"),
  });
  expect((await checkPort("runtime", "127.0.0.1", port, "SERVICE_PORT", async () => true)).state).toBe("ok");
  await new Promise((resolve) => server.close(resolve));
  expect((await checkPort("runtime", "127.0.0.1", port, "SERVICE_PORT", async () => false)).state).toBe("ok");
});

it("a directory that cannot be made is a problem", async () => {
  expect(await checkDirectory("/dev/null/data")).toMatchObject({ state: "problem", text: expect.stringContaining("ENOTDIR") });
});
