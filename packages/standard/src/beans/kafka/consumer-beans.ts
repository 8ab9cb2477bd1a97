// Beans that the Kafka source Kamelets apply to received messages.
import { defineBean, type Exchange } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f } from "@sluice/model";

const commonMembers = { kind: "function", group: "kafka", since: "0.1" } as const;
const manualCommitHeader = "CamelKafkaManualCommit";
const objectHeaders: ReadonlySet<string> = new Set(["kafka.HEADERS", manualCommitHeader]);

export const headerDeserializer = defineBean({
  ...commonMembers,
  names: ["org.apache.camel.component.kafka.KafkaHeaderDeserializer", "org.apache.camel.kamelets.utils.serialization.kafka.KafkaHeaderDeserializer"],
  title: "Kafka header deserializer",
  summary: "Converts the values of all headers to text.",
  properties: { enabled: f.boolean({ doc: "Whether headers are converted.", default: false }) },
  create:
    ({ enabled }) =>
    (exchange: Exchange): void => {
      if (!enabled) return;
      const { headers } = exchange.message;
      for (const [name, value] of [...headers])
        if (!objectHeaders.has(name) && value !== null && value !== undefined && typeof value !== "string") headers.set(name, asText(value));
    },
});

/** Exists because published Kamelets declare it; the Kafka source ignores the option that refers to it. */
export const manualCommitFactory = defineBean({
  kind: "value",
  group: "kafka",
  since: "0.1",
  names: [
    "org.apache.camel.component.kafka.consumer.DefaultKafkaManualCommitFactory",
    "org.apache.camel.component.kafka.consumer.DefaultKafkaManualAsyncCommitFactory",
  ],
  title: "Kafka manual commit factory",
  summary: "Accepted but ignored: a message is committed when its run is done.",
  properties: {},
  create: () => null,
});

export const manualCommit = defineBean({
  ...commonMembers,
  names: [
    "org.apache.camel.component.kafka.ManualCommit",
    "org.apache.camel.component.kafka.BatchManualCommit",
    "org.apache.camel.kamelets.utils.transform.kafka.ManualCommit",
    "org.apache.camel.kamelets.utils.transform.kafka.BatchManualCommit",
  ],
  title: "Kafka manual commit",
  summary:
    "Calls `commit` of the object in the header `CamelKafkaManualCommit`, if a source sets it. The kafka connector does not: it commits an offset when the run is done.",
  properties: {},
  create:
    () =>
    async (exchange: Exchange): Promise<void> => {
      const offset = exchange.message.headers.get(manualCommitHeader) as { commit?: () => unknown } | undefined | null;
      if (typeof offset?.commit === "function") await offset.commit();
    },
});
