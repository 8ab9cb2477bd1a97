import type { ActionDeclaration, CommandDeclaration } from "../../command/declaration.ts";
import { jsonFlag, runtimeFlags, runtimeVariables } from "../../command/shared-flags.ts";
import { queryFlags } from "../../runtime/query-flags.ts";

const control = (name: string, summary: string): ActionDeclaration => ({
  name,
  summary,
  arguments: [{ name: "routes", doc: "Route ids.", required: true, many: true }],
  load: async () => ({ run: (await import("./control-routes.ts")).controlRoutes(name as "start" | "stop" | "suspend" | "resume") }),
});

export const routes: CommandDeclaration = {
  name: "routes",
  summary: "List and show the routes, start, stop, suspend or resume them, and capture their messages.",
  details:
    "A stopped or suspended route keeps its status in new versions of its flow and after a restart of the runtime, until it is started or resumed. In a cluster, the change applies to all nodes.\n\nA captured message is the one before each step: the run can be inspected, recorded as a test and replayed from any step.",
  actions: [
    {
      name: "list",
      summary: "List the routes with their status and the numbers of their runs.",
      flags: [
        { name: "flow", value: "id", kind: "id", doc: "Only routes of this flow." },
        { name: "status", values: ["Starting", "Started", "Suspended", "Stopping", "Stopped", "Failed"], doc: "Only routes with this status." },
        ...queryFlags("GET /health", { without: ["probe"] }),
      ],
      load: () => import("./list-routes.ts"),
    },
    {
      name: "show",
      summary: "Show a route: its trigger, its runs, its last error, and whether its messages are captured.",
      arguments: [{ name: "route", doc: "Route id.", required: true }],
      flags: queryFlags("GET /health", { without: ["probe"] }),
      load: () => import("./show-route.ts"),
    },
    control("start", "Start stopped routes."),
    control("stop", "Stop routes after their in-flight runs have completed."),
    control("suspend", "Suspend routes: they accept no messages."),
    control("resume", "Resume suspended routes."),
    {
      name: "capture",
      summary: "Capture the messages of a route for a limited time, stop capturing them, or show whether they are captured.",
      arguments: [{ name: "route", doc: "Route id.", required: true }],
      flags: [
        { name: "minutes", value: "count", number: { min: 1, max: 1_440 }, doc: "Capture the messages for this many minutes." },
        { name: "max-bytes", value: "count", number: { min: 1 }, doc: "With --minutes: keep at most this many bytes of captured messages." },
        { name: "stop", doc: "Stop capturing; captured messages stay available until they are evicted." },
      ],
      load: () => import("./capture-route.ts"),
    },
  ],
  flags: [jsonFlag, ...runtimeFlags],
  variables: runtimeVariables,
  examples: [
    { doc: "List the routes", command: "sluice routes" },
    { doc: "Show a route with its last error", command: "sluice routes show orders" },
    { doc: "Stop a route", command: "sluice routes stop orders" },
    { doc: "Start it again", command: "sluice routes start orders" },
    { doc: "Suspend a route during maintenance of its partner", command: "sluice routes suspend orders" },
    { doc: "Resume it", command: "sluice routes resume orders" },
    { doc: "Capture the messages of a route for ten minutes", command: "sluice routes capture orders --minutes 10" },
    { doc: "Stop capturing them", command: "sluice routes capture orders --stop" },
  ],
  exits: {
    0: "listed, shown, every route has the new status, or the capture has changed",
    1: "a route does not exist or cannot change its status, or the runtime is unreachable or rejected the token",
    2: "invalid command line",
  },
};
