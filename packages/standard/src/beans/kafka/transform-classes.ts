/** The class of a transform: in Camel's Kafka component, and in the library of the Kamelet catalog, which had it in earlier versions. */
export const transformClasses = (name: string): readonly string[] => [
  `org.apache.camel.component.kafka.transform.${name}`,
  `org.apache.camel.kamelets.utils.transform.${name}`,
  `org.apache.camel.kamelets.utils.transform.kafka.${name}`,
];
