import { createServer, type AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { checkPort } from "./checks.ts";

it("reports a port in use as a problem unless Sluice uses it", async () => {
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
