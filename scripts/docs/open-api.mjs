import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfiguration, startServer } from "@sluice/server";

/** The OpenAPI document of a newly started runtime without flows. */
export async function openApi() {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-docs-"));
  const output = openSync(join(dataDir, "log.txt"), "a");
  const server = await startServer(readConfiguration({}, { SERVICE_PORT: "0", SERVICE_DEPLOY_TOKEN: "docs", SERVICE_DATA_DIR: dataDir }), output);
  try {
    const reply = await fetch(`${server.baseUrl}/_api/openapi.json`, { headers: { authorization: "Bearer docs" } });
    return await reply.json();
  } finally {
    await server.stop();
    closeSync(output);
    rmSync(dataDir, { recursive: true, force: true });
  }
}
