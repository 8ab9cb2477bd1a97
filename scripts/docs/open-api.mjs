import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfiguration, startServer } from "@sluice/server";

/** The OpenAPI document of a newly started runtime with these flows and policies, by id. */
export async function openApi({ flows = {}, policies = {} } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-docs-"));
  const output = openSync(join(dataDir, "log.txt"), "a");
  const server = await startServer(readConfiguration({}, { SERVICE_PORT: "0", SERVICE_DEPLOY_TOKEN: "docs", SERVICE_DATA_DIR: dataDir }), output);
  const call = async (method, path, body) => {
    const reply = await fetch(`${server.baseUrl}/_api${path}`, {
      method,
      headers: { authorization: "Bearer docs" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${method} ${path} was rejected: ${await reply.text()}`);
    return reply.json();
  };
  try {
    for (const [id, yaml] of Object.entries(flows)) await call("PUT", `/flows/${id}`, { yaml });
    for (const [id, policy] of Object.entries(policies)) await call("PUT", `/auth/${id}`, policy);
    return await call("GET", "/openapi.json");
  } finally {
    await server.stop();
    closeSync(output);
    rmSync(dataDir, { recursive: true, force: true });
  }
}
