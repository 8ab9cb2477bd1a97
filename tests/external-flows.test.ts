// Flows served from files named by the user, in addition to those of the data directory.
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfiguration, startServer, type RunningServer } from "@sluice/server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, eventually, replyFlow, token, type ApiReply } from "./started-server.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-external-"));
const path = (name: string): string => join(folder, name);
let names = ["one"];
let server: RunningServer;

beforeAll(async () => {
  writeFileSync(path("one.yaml"), replyFlow("one", '"{{text}}"'));
  const externalFlows = { folders: [folder], list: async () => names.map((id) => ({ id, path: path(`${id}.yaml`), params: { text: "hello" } })) };
  server = await startServer(
    readConfiguration({}, { SERVICE_PORT: "0", SERVICE_DEPLOY_TOKEN: token, SERVICE_DATA_DIR: path("data"), SERVICE_WATCH: "true", SERVICE_DRAIN_MS: "1s" }),
    // Stays open: a late line would be written to the next file that gets the same descriptor.
    openSync(path("log.txt"), "a"),
    externalFlows,
  );
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const api = (method: string, target: string, body?: unknown): Promise<ApiReply> =>
  call(server.baseUrl, method, `/_api${target}`, body === undefined ? undefined : JSON.stringify(body), { authorization: `Bearer ${token}` });
const replyText = async (id: string): Promise<string> => (await call(server.baseUrl, "POST", `/api/${id}`)).text;

it("are served with their parameters, listed, and never copied into the data directory", async () => {
  expect(await replyText("one")).toBe("hello");
  expect((await api("GET", "/flows")).json.flows).toMatchObject([{ id: "one", file: "one.yaml", status: "Started", paramNames: ["text"] }]);
  expect(existsSync(path("data/routes/one.yaml"))).toBe(false);
});

it("can only be changed by their file: deploying and removing are rejected", async () => {
  const sentence = "flow 'one' is served from the file 'one.yaml': edit the file instead";
  for (const reply of [await api("PUT", "/flows/one", { yaml: replyFlow("one", "other") }), await api("DELETE", "/flows/one")])
    expect([reply.status, reply.json]).toEqual([409, { error: sentence }]);
  expect(await replyText("one")).toBe("hello");
});

it("do not prevent other deployments", async () => {
  expect((await api("PUT", "/flows/two", { yaml: replyFlow("two", "2") })).status).toBe(201);
  expect([await replyText("two"), existsSync(path("data/routes/two.yaml"))]).toEqual(["2", true]);
  expect((await api("PUT", "/flows/three", { yaml: replyFlow("one", "3") })).json).toEqual({ error: "route id 'one' is already used by flow 'one'" });
});

it("follow their files: changed, invalid, new and deleted", async () => {
  writeFileSync(path("one.yaml"), replyFlow("one", "changed"));
  await eventually(async () => (await replyText("one")) === "changed");
  writeFileSync(path("one.yaml"), replyFlow("one", "x").replace("setBody", "setBdy"));
  await eventually(async () => /unknown step 'setBdy'/.test((await api("GET", "/flows/one")).json.error ?? ""));
  expect(await replyText("one")).toBe("changed");
  names = ["one", "four"];
  writeFileSync(path("four.yaml"), replyFlow("four", "4"));
  await eventually(async () => (await replyText("four")) === "4");
  names = ["four"];
  rmSync(path("one.yaml"));
  await eventually(async () => (await call(server.baseUrl, "POST", "/api/one")).status === 404);
  expect(await replyText("four")).toBe("4");
});
