// Lists the YAML files in the flow directory without reading them.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../host/clock.ts";
import { flowIdOfFile, inPreferenceOrder } from "./flow-file-name.ts";
import { isFlowId } from "./flow-id.ts";
import type { FlowFile } from "./flow-store.ts";
import { inspectFile } from "./inspect-file.ts";

export const paramsSuffix = ".params.json";

/** Number of files inspected per turn of the event loop. They are inspected synchronously: the thread pool would take ten times as long. */
const filesPerTurn = 250;

/** Lists all files, including those added or changed manually. */
export async function listFlowFiles(directory: string, maxBytes = Infinity): Promise<readonly FlowFile[]> {
  const all = await readdir(directory);
  const names = inPreferenceOrder(all.filter((name) => flowIdOfFile(name) !== undefined));
  const withParams = new Set(all.filter((name) => name.endsWith(paramsSuffix)).map((name) => name.slice(0, -paramsSuffix.length)));
  const owners = new Map<string, string>();
  const files: FlowFile[] = [];
  for (const [index, name] of names.entries()) {
    if (index % filesPerTurn === filesPerTurn - 1) await systemClock.yieldToEventLoop();
    const found = inspectFile(join(directory, name), maxBytes);
    if (found === undefined) continue;
    const flowId = flowIdOfFile(name) as string;
    const owner = owners.get(flowId.toLowerCase());
    if (owner === undefined) owners.set(flowId.toLowerCase(), name);
    // Not a valid flow id, so the entry cannot be confused with another flow.
    const id = owner === undefined ? flowId : `${flowId} (${name})`;
    const { mtimeMs, size, ino } = found.stats;
    files.push({
      id,
      file: name,
      lastModified: Math.round(mtimeMs),
      stamp: `${mtimeMs}-${size}-${ino}`,
      problem: nameProblem(flowId, name, owner) ?? found.problem,
      unreadable: found.problem !== undefined,
      hasParams: withParams.has(id),
    });
  }
  return files.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

function nameProblem(id: string, name: string, owner: string | undefined): string | undefined {
  if (owner !== undefined) return `'${name}' is ignored: '${owner}' already defines the flow; remove one of the files`;
  return isFlowId(id) ? undefined : `'${id}' is not a valid flow id: rename the file`;
}
