// The groups of endpoints, in the order of the reference.

export interface Tag {
  readonly title: string;
  readonly description: string;
  /** The parameters in the paths of the group. */
  readonly parameters?: Readonly<Record<string, PathParameter>>;
}

interface PathParameter {
  readonly description: string;
  readonly example: string;
}

const idRule = "letters, digits, `.`, `_`, `-`, at most 128 characters";
const runId = "run_01KB2T4X7N5M0Q8R3S6V9W1Y2Z";

const declaredTags = {
  health: { title: "Health and metrics", description: "The state of the runtime, its routes and the nodes of its cluster." },
  flows: {
    title: "Flows",
    description: "Flows are deployed as YAML. A new version replaces the running one without dropping a message, and every version is kept.",
    parameters: {
      id: { description: `The id of the flow: ${idRule}.`, example: "orders" },
      revision: { description: "The number of a version in the history of the flow.", example: "3" },
    },
  },
  access: {
    title: "Access",
    description: "Access policies decide who may call the webhooks of a flow.",
    parameters: { flowId: { description: "The id of the flow, which need not be installed yet.", example: "orders" } },
  },
  connections: {
    title: "Connections",
    description: "Connections to other systems, which flows use by their id.",
    parameters: { id: { description: `The id of the connection: ${idRule}.`, example: "erp" } },
  },
  kamelets: {
    title: "Kamelets",
    description: "Route templates that flows use as sources, sinks and actions.",
    parameters: { name: { description: `The name of the Kamelet: ${idRule}.`, example: "greeter-action" } },
  },
  "value mappings": {
    title: "Value mappings",
    description: "Tables that translate codes between systems.",
    parameters: { id: { description: `The id of the table: ${idRule}.`, example: "units" } },
  },
  "message mappings": {
    title: "Message mappings",
    description: "Documents that describe which target field is filled from which source field.",
    parameters: { id: { description: `The id of the document: ${idRule}.`, example: "order-to-erp" } },
  },
  routes: {
    title: "Routes",
    description: "Controls single routes of deployed flows, and captures their messages.",
    parameters: { id: { description: "The id of a deployed route.", example: "order-intake" } },
  },
  "dead letters": {
    title: "Dead letters",
    description: "Messages that could not be processed, kept until they are replayed or deleted.",
    parameters: { id: { description: "The id of a dead letter or, below `replays`, of a bulk replay.", example: "01KB2T4X7N5M0Q8R3S6V9W1Y2Z" } },
  },
  runs: {
    title: "Runs",
    description: "The history: one run for each message that entered a route.",
    parameters: { id: { description: "The id of the run, as in `X-Run-Id`.", example: runId } },
  },
  streams: { title: "Streams", description: "Live events as server-sent events. A stream stays open until either side closes it." },
  test: {
    title: "Test sessions",
    description: "Sessions replace calls to other systems with mocks and record them.",
    parameters: { id: { description: "The id of the test session.", example: "ts_01KB2T4X7N5M0Q8R3S6V9W1Y2Z" } },
  },
  breakpoints: {
    title: "Breakpoints",
    description: "Hold one message of a live route before a step. Requires `SERVICE_BREAKPOINTS=true`.",
    parameters: { id: { description: "The id of the breakpoint session.", example: "bp_01KB2T4X7N5M0Q8R3S6V9W1Y2Z" } },
  },
  catalog: { title: "Catalog and schema", description: "What flows can use on this runtime, for editors and other tools." },
  api: { title: "API", description: "The description of this API." },
} as const satisfies Readonly<Record<string, Tag>>;

export type TagName = keyof typeof declaredTags;
export const tags: Readonly<Record<TagName, Tag>> = declaredTags;

/** The group of the deployed webhooks, which are not endpoints of the API. */
export const webhookTag = { name: "webhooks", title: "Webhooks", description: "The webhooks of the deployed flows." } as const;
