import type { CommandDeclaration } from "../../command/declaration.ts";

export const designer: CommandDeclaration = {
  name: "designer",
  summary: "Start the designer for a running runtime.",
  variables: {
    DESIGNER_PORT: "the port to listen on (default 8090; 0 picks a free one)",
    DESIGNER_HOST: "the address to listen on (default 127.0.0.1; others need a password)",
    DESIGNER_PASSWORD: "the password to sign in with",
    DESIGNER_TRUSTED_PROXIES: "trusted proxies (addresses or networks) whose X-Forwarded-For identifies clients for the sign-in rate limit",
    DESIGNER_WORKSPACE: "the folder of flows and tests (default ./workspace)",
    DESIGNER_RUNTIME_URL: "URL of the runtime (default: from SERVICE_HOST and SERVICE_PORT)",
    DESIGNER_TARGET: "display name of that runtime (default local)",
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
