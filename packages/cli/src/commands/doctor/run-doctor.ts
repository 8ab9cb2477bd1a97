import { ApiError } from "@sluice/client";
import { readConfiguration } from "@sluice/server/config";
import { isOn, textFlag, type Call } from "../../command/declaration.ts";
import { productVersion } from "../../command/package-files.ts";
import { connect } from "../../runtime/connection.ts";
import { localUrl } from "../../runtime/local-url.ts";
import { checkCluster } from "./check-cluster.ts";
import { checkNode } from "./check-node.ts";
import { fetchHealth, checkClients, checkDirectory, checkParts, checkPlugins, checkPort, checkRuntime, type Finding } from "./checks.ts";

export async function run({ flags, terminal }: Call): Promise<number> {
  const connection = await connect(flags);
  const { settings, environment } = readConfiguration();
  const responds = (url: string): Promise<boolean> =>
    fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      () => true,
      () => false,
    );
  const isExplicit = textFlag(flags, "runtime") !== undefined || environment["SLUICE_RUNTIME"] !== undefined;
  const designerPort = Number(environment["DESIGNER_PORT"]?.trim() || "8090");
  const findings: readonly Finding[] = [
    checkNode(),
    ...checkParts(settings),
    ...checkClients(),
    ...(await checkPlugins(settings)),
    await checkDirectory(settings.dataDir),
    await checkPort("runtime", settings.host, settings.port, "SERVICE_PORT", async () => {
      const response = await fetchHealth(localUrl(settings), 2_000);
      return !(response instanceof ApiError);
    }),
    await checkPort("designer", "127.0.0.1", designerPort, "DESIGNER_PORT", () => responds(`http://127.0.0.1:${designerPort}/`)),
    ...(await checkRuntime(connection, isExplicit, productVersion())),
    ...(await checkCluster(connection)),
  ];
  if (isOn(flags, "json")) terminal.write(JSON.stringify({ findings }, undefined, 2));
  else {
    const width = Math.max(...findings.map(({ check }) => check.length));
    const marks = { ok: terminal.style("green", "✓"), warning: terminal.style("yellow", "!"), problem: terminal.style("red", "✗") };
    for (const { check, state, text, fix } of findings)
      terminal.write(`${marks[state]} ${check.padEnd(width)}  ${text}${fix === undefined ? "" : ` (fix: ${fix})`}`);
  }
  return findings.some(({ state }) => state === "problem") ? 1 : 0;
}
