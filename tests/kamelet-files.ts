// Kamelets for these tests, in the format of Camel's published catalog.
const head = (name: string, type: string): string => `apiVersion: camel.apache.org/v1
kind: Kamelet
metadata:
  name: ${name}
  labels:
    camel.apache.org/kamelet.type: "${type}"
`;

export const kameletFiles: Readonly<Record<string, string>> = {
  "greeter-action.kamelet.yaml": `${head("greeter-action", "action")}spec:
  definition:
    title: Greeter
    description: Puts a greeting before the body.
    required: [greeting]
    properties:
      greeting:
        title: Greeting
        description: The word to greet with.
        type: string
        enum: [Hello, Hi]
      mark:
        type: string
        default: "!"
      secretWord:
        type: string
        format: password
        x-descriptors:
          - urn:camel:group:credentials
  template:
    from:
      uri: kamelet:source
      steps:
        - setBody:
            simple: "{{greeting}} \${body}{{mark}}"
        - to: kamelet:sink
`,
  "once-action.kamelet.yaml": `${head("once-action", "action")}spec:
  definition:
    required: [file]
    properties:
      file:
        type: string
  template:
    beans:
      - name: database
        type: "#class:org.springframework.jdbc.datasource.DriverManagerDataSource"
        properties:
          url: "jdbc:sqlite:{{file}}"
      - name: seen
        type: "#class:org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository"
        properties:
          dataSource: "#bean:{{database}}"
          processorName: once
    from:
      uri: kamelet:source
      steps:
        - idempotentConsumer:
            header: id
            idempotentRepository: "#bean:{{seen}}"
            skipDuplicate: false
            steps:
              - choice:
                  when:
                    - simple: "\${exchangeProperty.CamelDuplicateMessage}"
                      steps:
                        - setBody:
                            constant: again
                        - stop: {}
        - to: kamelet:sink
`,
  "entry-source.kamelet.yaml": `${head("entry-source", "source")}spec:
  definition:
    required: [path]
    properties:
      path:
        type: string
  template:
    from:
      uri: "platform-http:/{{path}}"
      steps:
        - choice:
            when:
              - simple: "\${body} == 'skip'"
                steps:
                  - setBody:
                      constant: skipped
            otherwise:
              steps:
                - to: kamelet:sink
        - setHeader:
            name: X-Source
            constant: entry
`,
  "rename-action.kamelet.yaml": `${head("rename-action", "action")}spec:
  definition:
    required: [field]
    properties:
      field:
        type: string
  template:
    beans:
      - name: drop
        type: "#class:org.apache.camel.component.kafka.transform.DropField"
        properties:
          field: "{{field}}"
    from:
      uri: kamelet:source
      steps:
        - unmarshal:
            json: {}
        - process:
            ref: "{{drop}}"
        - marshal:
            json: {}
`,
  "queueing-sink.kamelet.yaml": `${head("queueing-sink", "sink")}spec:
  definition:
    properties:
      name:
        type: string
        default: kept
  template:
    beans:
      - name: local-seda
        type: "#class:org.apache.camel.component.seda.SedaComponent"
        properties:
          autowiredEnabled: "false"
          size: "5"
    from:
      uri: kamelet:source
      steps:
        - to:
            uri: "{{local-seda}}:{{name}}"
`,
  "avro-sink.kamelet.yaml": `${head("avro-sink", "sink")}spec:
  definition:
    required: [topic]
    properties:
      topic:
        type: string
      valueSerializer:
        type: string
        default: com.acme.AvroSerializer
  template:
    from:
      uri: kamelet:source
      steps:
        - to:
            uri: "kafka:{{topic}}"
            parameters:
              valueSerializer: "{{valueSerializer}}"
`,
  "broken-sink.kamelet.yaml": `${head("broken-sink", "sink")}spec:
  definition:
    properties: {}
  template:
    from:
      uri: kamelet:source
      steps:
        - setBody:
            simple: "\${nonsense}"
`,
  "registry-source.kamelet.yaml": `${head("registry-source", "source")}spec:
  definition:
    required: [topic]
    properties:
      topic:
        type: string
      registryUrl:
        type: string
        default: http://localhost:8080
  template:
    from:
      uri: "kafka:{{topic}}"
      parameters:
        additionalProperties.apicurio.registry.url: "{{registryUrl}}"
      steps:
        - to: kamelet:sink
`,
  "unsupported-source.kamelet.yaml": `${head("unsupported-source", "source")}spec:
  definition:
    required: [topic]
    properties:
      topic:
        type: string
  template:
    from:
      uri: "no-such-broker:{{topic}}"
      steps:
        - to: kamelet:sink
`,
};
