/** The class names of a transform: in Camel's Kafka component and, for earlier versions, in the library of the Kamelet catalog. */
export const transformClasses = (name: string): readonly string[] => [
  `org.apache.camel.component.kafka.transform.${name}`,
  `org.apache.camel.kamelets.utils.transform.${name}`,
  `org.apache.camel.kamelets.utils.transform.kafka.${name}`,
];
