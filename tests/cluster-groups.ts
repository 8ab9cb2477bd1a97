// Flows with an aggregate for clusters, and the groups that arrived at the partner.
import type { SpawnedServer } from "./spawned-server.ts";

/**
 * A message is `group/number`. A group arrives as `isRepeated node completedBy ["group/1",…]`: `isRepeated` is `true` for a group that runs again, and
 * `completedBy` is the condition that completed the group.
 */
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
  /** The condition that completed the group, such as `size`. */
  readonly completedBy: string;
  readonly messages: readonly string[];
}

/** The groups whose first message begins with this text, in the order in which they arrived. */
export const arrivedGroups = (order: readonly string[], prefix: string): readonly ArrivedGroup[] =>
  order
    .map((line) => {
      const [isRepeated, node, completedBy, ...rest] = line.split(" ");
      return { isRepeated: isRepeated === "true", node: node as string, completedBy: completedBy as string, messages: JSON.parse(rest.join(" ")) as string[] };
    })
    .filter(({ messages }) => messages[0]?.startsWith(prefix));

/** True when three nodes hold all slots. */
export async function allSlotsHeld(node: Pick<SpawnedServer, "api">): Promise<boolean> {
  const found = (await node.api("GET", "/nodes")).json.nodes;
  return found.length === 3 && new Set(found.flatMap(({ slots }: any) => slots)).size === 64;
}
