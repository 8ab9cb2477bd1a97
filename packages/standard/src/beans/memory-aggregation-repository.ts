import { defineBean } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** The step `aggregate` stores its groups in memory itself, so there is nothing to create. */
export const memoryAggregationRepository = defineBean({
  names: ["org.apache.camel.processor.aggregate.MemoryAggregationRepository", "MemoryAggregationRepository", "memoryAggregationRepository"],
  kind: "aggregation-repository",
  title: "Memory aggregation repository",
  summary:
    "Stores the groups of an aggregate in memory; this is the default. In a cluster, the messages of open groups are also kept in the store of the cluster.",
  group: "repository",
  since: "0.1",
  properties: {
    optimisticLocking: f.boolean({ doc: "Accepted but ignored: messages of a group are never merged concurrently.", default: false }),
  },
  constructorProperties: ["optimisticLocking"],
  create: () => ({}),
});
