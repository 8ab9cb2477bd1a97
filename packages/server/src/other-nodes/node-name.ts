import { hostname } from "node:os";
import type { Settings } from "../config.ts";

/** The name of a node in its cluster; `worker` is the number of the worker, undefined for a single process. */
export function nodeName({ node = hostname() }: Pick<Settings, "node">, worker: number | undefined): string {
  return worker === undefined ? node : `${node}/${worker}`;
}
