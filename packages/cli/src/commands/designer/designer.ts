import type { CommandDeclaration } from "../../command/declaration.ts";
import { designerFlags } from "./designer-flags.ts";

export const designer: CommandDeclaration = {
  name: "designer",
  summary: "Start the designer for a running runtime.",
  flags: designerFlags,
  variables: {
    DESIGNER_PASSWORD: "password for signing in",
    DESIGNER_TRUSTED_PROXIES: "trusted proxies (addresses or networks) whose X-Forwarded-For identifies clients for the sign-in rate limit",
    DESIGNER_TARGET: "display name of the runtime (default local)",
    SERVICE_DEPLOY_TOKEN: "deploy token of the runtime; never sent to the browser",
  },
  examples: [
    {
      doc: "Use a runtime on another machine",
      command: "sluice designer --port 0 --runtime https://runtime.example.com",
      until: "Designer ",
    },
  ],
  exits: { 0: "stopped", 1: "could not start", 2: "invalid command line or setting" },
  load: () => import("./run-designer.ts"),
};
