// Flows with an aggregate for clusters, and the groups that arrived at the partner.
import type { SpawnedServer } from "./spawned-server.ts";

/** A message is `group/number`; a group arrives as `mark node by ["group/1",…]`: `mark` is `true` for a group that runs again, `by` is the condition that completed it. */
export const groupFlow = (id: string, completion: string, target: string, from = "webhook"): string => `- route:
    id: ${id}
    from:
      uri: "${from}"
      steps:
        - convertBodyTo: {type: String}
        - aggregate:
            correlationExpression: {simple: "\${body.replaceFirst('/.*', '')}"}
            ${completion}
            aggregationStrategy: '#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy'
            steps:
              - marshal: {json: {}}
              - setBody: {simple: "\${header.CamelRedelivered} {{env:NODE_NAME}} \${exchangeProperty.CamelAggregatedCompletedBy} \${body}"}
              - to: "${target}?httpMethod=POST"
`;

export interface ArrivedGroup {
  readonly isRepeated: boolean;
  readonly node: string;
  /** The condition that completed it, such as `size`. */
  readonly by: string;
  readonly messages: readonly string[];
}

/** The groups whose first message begins with this text, in the order in which they arrived. */
export const arrivedGroups = (order: readonly string[], prefix: string): readonly ArrivedGroup[] =>
  order
    .map((line) => {
      const [mark, node, by, ...rest] = line.split(" ");
      return { isRepeated: mark === "true", node: node as string, by: by as string, messages: JSON.parse(rest.join(" ")) as string[] };
    })
    .filter(({ messages }) => messages[0]?.startsWith(prefix));

/** True when three nodes hold all slots. */
export async function allSlotsHeld(node: SpawnedServer): Promise<boolean> {
  const found = (await node.api("GET", "/nodes")).json.nodes;
  return found.length === 3 && new Set(found.flatMap(({ slots }: any) => slots)).size === 64;
}
