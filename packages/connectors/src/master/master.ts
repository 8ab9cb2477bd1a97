// Runs the source of another endpoint on one node of a cluster. All other behavior is that of the endpoint.
import { CompileError, defineConnector, type Connector, type Endpoint, type EndpointScope, type Source } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";

const path = {
  namespace: f.string({
    doc: "Name of the lock. In a cluster, routes with the same name run on the same node, even if they belong to different flows.",
    required: true,
    examples: ["orders"],
  }),
  delegateUri: f.string({ doc: "The endpoint that triggers the route. All options belong to it.", required: true, examples: ["timer:tick", "file:inbox"] }),
};

export const master = defineConnector({
  scheme: "master",
  title: "Master",
  summary: "Triggers a route with another endpoint, on one node of a cluster only.",
  guarantees:
    "In a cluster, one node runs the source; the source stops there before another node starts it. If the node is killed, another one takes over after SERVICE_CLUSTER_TTL. Routes with the same name run on the same node. Everything else, such as the order of messages and retries, is as documented for the other endpoint. Without a cluster, `master:` has no effect; with several workers, one of them runs it.",
  group: "core",
  icon: "plug",
  paletteGroup: "receive",
  since: "0.2",
  keywords: ["cluster", "leader", "lock", "failover"],
  syntax: "master:namespace:delegateUri",
  roles: ["source"],
  trigger: "outside",
  local: true,
  path,
  options: {},
  lenient: true,
  headers: {},
  examples: [
    {
      title: "A timer on one node",
      yaml: `- route:
    id: example
    from:
      uri: master:reports:timer:tick
      parameters: {delay: 10ms, repeatCount: 1}
      steps:
        - setBody: {constant: tick}
        - to: mock:result`,
      expect: { body: "tick" },
    },
  ],
  connect: (): Connector => ({ source: masterSource }),
});

function masterSource({ options, extra }: Endpoint<Values<typeof path>>, scope: EndpointScope): Source {
  const { namespace, delegateUri } = options;
  const scheme = /^[\w+.-]*/.exec(delegateUri)?.[0];
  if (scheme === "master" || scheme === "kamelet")
    throw new CompileError("endpoint-invalid", `'${scheme}:' cannot be used inside 'master:'`, { hint: "write the endpoint itself after the name" });
  const { source, uri, trigger } = scope.source(delegateUri, extra);
  return { ...source, master: { name: namespace, delegate: { uri, trigger } } };
}
