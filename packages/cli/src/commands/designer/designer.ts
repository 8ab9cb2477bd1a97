import type { CommandDeclaration } from "../../command/declaration.ts";

export const designer: CommandDeclaration = {
  name: "designer",
  summary: "Start the designer for a running runtime.",
  variables: {
    DESIGNER_PORT: "port to listen on (default 8090; 0 selects a free port)",
    DESIGNER_HOST: "address to listen on (default 127.0.0.1; other addresses require a password)",
    DESIGNER_PASSWORD: "password for signing in",
    DESIGNER_TRUSTED_PROXIES: "trusted proxies (addresses or networks) whose X-Forwarded-For identifies clients for the sign-in rate limit",
    DESIGNER_WORKSPACE: "folder with flows and tests (default ./workspace)",
    DESIGNER_RUNTIME_URL: "URL of the runtime (default: from SERVICE_HOST and SERVICE_PORT)",
    DESIGNER_TARGET: "display name of the runtime (default local)",
    SERVICE_DEPLOY_TOKEN: "deploy token of the runtime; never sent to the browser",
  },
  examples: [
    {
      doc: "Use a runtime on another machine",
      command: "DESIGNER_PORT=0 DESIGNER_RUNTIME_URL=https://runtime.example.com sluice designer",
      until: "Designer ",
    },
  ],
  exits: { 0: "stopped", 1: "could not start", 2: "invalid setting" },
  load: () => import("./run-designer.ts"),
};
