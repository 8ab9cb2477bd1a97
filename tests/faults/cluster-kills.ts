// Flows, messages with keys and reproducible random numbers for the tests of a cluster under faults.
import type { ClusterUnderLoad } from "../cluster-load.ts";
import { post } from "../cluster-load.ts";
import type { SpawnedServer } from "../spawned-server.ts";
import { sleep } from "../started-server.ts";

/** A generator of random numbers from 0 to 1 (exclusive), reproducible by its seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Messages with a key: a 200 reply means that the store has the message. */
export const keyedFlow = (partnerUrl: string): string => `- route:
    id: keyed
    from:
      uri: webhook
      steps:
        - to: queue:keyed?keyHeader=customer
- route:
    id: ordered
    from:
      uri: "queue:keyed?concurrentConsumers=4&maximumRedeliveries=1000&redeliveryDelay=50&maximumRedeliveryDelay=500"
      steps:
        - convertBodyTo: {type: String}
        - to: "${partnerUrl}/keyed?httpMethod=POST"
`;

/** Ticks of a cron expression by their scheduled second, and counted ticks of a timer. */
export const tickFlow = (partnerUrl: string): string => `- route:
    id: cron
    from:
      uri: quartz:cron?cron=*+*+*+*+*+?
      steps:
        - toD: "${partnerUrl}/tick?schedule=cron&node={{env:NODE_NAME}}&tick=\${date:header.scheduledFireTime:yyyyMMddHHmmss}"
- route:
    id: counted
    from:
      uri: "timer:counted?period=1000&repeatCount=1000&includeMetadata=true"
      steps:
        - toD: "${partnerUrl}/tick?schedule=counted&node={{env:NODE_NAME}}&tick=\${exchangeProperty.CamelTimerCounter}"
`;

/** A timer whose calls show which node holds its slot; nothing else prevents two nodes from running it. */
export const beatFlow = (partnerUrl: string, id: string): string => `- route:
    id: ${id}
    from:
      uri: "timer:${id}?period=200"
      steps:
        - to: "${partnerUrl}/beat?schedule=${id}&node={{env:NODE_NAME}}"
`;

/** Posts the messages of one key, one after the other; returns those that were accepted. */
export async function sendKeyed(cluster: ClusterUnderLoad, key: string, isOver: () => boolean, pauseMs: number): Promise<readonly string[]> {
  const accepted: string[] = [];
  for (let count = 0; !isOver(); count++) {
    const id = `${key} ${count}`;
    if ((await post(cluster.nodes[count % cluster.nodes.length] as SpawnedServer, "/api/keyed", id, { customer: key })) === 200) accepted.push(id);
    await sleep(pauseMs);
  }
  return accepted;
}

/** The accepted messages of a key in the order of their first runs. */
export const firstRuns = (order: readonly string[], accepted: readonly string[]): readonly string[] => {
  const acceptedIds = new Set(accepted);
  return [...new Set(order)].filter((id) => acceptedIds.has(id));
};
