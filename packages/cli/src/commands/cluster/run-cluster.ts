import type { Call } from "../../command/declaration.ts";
import { printNodes } from "./node-list.ts";
import { startCluster } from "./start-cluster.ts";

export const run = (call: Call): Promise<number> => (call.arguments["action"] === "status" ? printNodes(call) : startCluster(call));
