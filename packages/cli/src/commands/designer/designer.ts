import type { CommandDeclaration } from "../../command/declaration.ts";

export const designer: CommandDeclaration = {
  name: "designer",
  summary: "Start the designer for a runtime that is running.",
  variables: {
    DESIGNER_PORT: "the port to listen on (default 8090; 0 picks a free one)",
    DESIGNER_HOST: "the address to listen on (default 127.0.0.1; others need a password)",
    DESIGNER_PASSWORD: "the password to sign in with",
    DESIGNER_WORKSPACE: "the folder of flows and tests (default ./workspace)",
    DESIGNER_RUNTIME_URL: "the runtime to deploy to (default the one of SERVICE_HOST and SERVICE_PORT)",
    DESIGNER_TARGET: "what to call that runtime (default local)",
    SERVICE_DEPLOY_TOKEN: "its deploy token; it never reaches the browser",
  },
  examples: [
    {
      doc: "A designer for another machine's runtime",
      command: "DESIGNER_PORT=0 DESIGNER_RUNTIME_URL=https://runtime.example.com sluice designer",
      until: "Designer ",
    },
  ],
  exits: { 0: "stopped", 1: "could not start", 2: "a setting is wrong" },
  load: () => import("./run-designer.ts"),
};
