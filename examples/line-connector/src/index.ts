// The plug-in that the runtime loads when SERVICE_CONNECTORS names this package.
import { line } from "./line.ts";

export { line };
export const connectors = [line];
