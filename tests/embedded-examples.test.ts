// Runs the applications of examples/embedded like a reader would.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it.each([
  ["express.mjs", "Express"],
  ["fastify.mjs", "Fastify"],
])("%s serves a webhook through the embedded handler", async (file, name) => {
  const path = fileURLToPath(new URL(`../examples/embedded/${file}`, import.meta.url));
  const child = spawn(process.execPath, [path], { env: { PATH: process.env["PATH"], PORT: "0" }, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  try {
    const [address] = (await Promise.race([once(child.stdout, "data"), ended])) as [Buffer | number | null];
    expect(address, "the application ended").toBeInstanceOf(Buffer);
    const baseUrl = String(address).trim();
    const post = async (path: string): Promise<string> =>
      (await fetch(baseUrl + path, { method: "POST", body: '{"name":"Ada"}', headers: { "content-type": "application/json" } })).text();
    expect(await post("/api/greeting")).toBe("Hello Ada, from a flow");
    expect(await post("/orders")).toBe(`Hello Ada, from a flow, through ${name}`);
    expect(await (await fetch(`${baseUrl}/`)).text()).toBe(`Response from ${name}`);
    expect((await fetch(`${baseUrl}/_api/flows`)).status).toBe(503);
  } finally {
    child.kill("SIGTERM");
  }
  // The process exits on its own: nothing keeps it alive after `close`.
  expect(await ended).toEqual([0, null]);
});
