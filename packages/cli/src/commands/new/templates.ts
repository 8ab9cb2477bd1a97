// The files that `sluice new` writes. `NAME` is replaced with the flow id.
import type { TemplateName } from "./template-names.ts";

export interface Template {
  readonly flow: string;
  readonly tests: string;
  readonly params: Readonly<Record<string, string>>;
}

export const templates: Readonly<Record<TemplateName, Template>> = {
  webhook: {
    params: { "partner.url": "http://partner.example" },
    flow: `- route:
    id: NAME
    description: NAME to partner
    from:
      uri: webhook
      steps:
        - unmarshal: {id: read, json: {}}
        - choice:
            id: check
            when:
              - simple: "\${body.id} == null"
                steps:
                  - setHeader: {id: reject, name: CamelHttpResponseCode, constant: "422"}
                  - setHeader: {name: Content-Type, constant: application/json}
                  - setBody: {constant: '{"error": "id is missing"}'}
                  - stop: {}
        - setHeader: {name: id, simple: "\${body.id}"}
        - marshal: {json: {}}
        - to:
            id: call-partner
            uri: "{{partner.url}}/items"
            parameters: {httpMethod: POST, responseTimeout: 5s}
        - setHeader: {name: Content-Type, constant: application/json}
        - setBody: {simple: '{"accepted": "\${header.id}"}'}
`,
    tests: `flow: NAME.yaml
params: {partner.url: http://partner.invalid}
tests:
  - name: forwards a valid message
    mocks: [{id: partner, match: {stepId: call-partner}, respond: {status: 200, body: {ok: true}}}]
    when: {webhook: NAME, body: {id: A-1}}
    then:
      - reply: {status: 200, headers: {content-type: application/json}, body: {accepted: A-1}}
      - mockCalled: {mock: partner, times: 1, with: {body: {id: A-1}}}

  - name: rejects a message without an id
    when: {webhook: NAME, body: {}}
    then:
      - reply: {status: 422, headers: {content-type: application/json}, body: {error: id is missing}}
      - notVisited: [call-partner]
`,
  },
  schedule: {
    params: { "source.url": "http://source.example" },
    flow: `- route:
    id: NAME
    description: Forward new items
    from:
      uri: timer:NAME
      parameters: {period: 60s}
      steps:
        - to:
            id: fetch-events
            uri: "{{source.url}}/events"
            parameters: {httpMethod: GET, responseTimeout: 10s}
        - split:
            id: each
            jsonpath: "$[*]"
            steps:
              - idempotentConsumer:
                  jsonpath: "$.id"
                  idempotentRepository: memory
                  steps:
                    - log: {id: new-item, message: "new: \${body}"}
                    - to: {id: forward, uri: "direct:NAME-new"}
- route:
    id: NAME-new
    from:
      uri: direct:NAME-new
      steps:
        - marshal: {json: {}}
        - log: {id: received, message: "\${body}"}
- beans:
    - {name: memory, type: org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository}
`,
    tests: `flow: NAME.yaml
params: {source.url: http://source.invalid}
tests:
  - name: does not forward an item twice
    mocks: [{id: source, match: {stepId: fetch-events}, respond: {status: 200, body: [{id: 1}, {id: 2}, {id: 1}]}}]
    when: {route: NAME}
    then:
      - status: completed
      - visited: [new-item, received]
      - logged: {contains: 'new: '}
`,
  },
  files: {
    params: { "in.dir": "/var/spool/NAME", "partner.url": "http://partner.example" },
    flow: `- route:
    id: NAME
    description: Files to partner
    from:
      uri: "file:{{in.dir}}"
      parameters: {include: ".*[.]csv", readLock: changed}
      steps:
        - unmarshal: {id: read, csv: {useMaps: true}}
        - split:
            id: rows
            simple: "\${body}"
            steps:
              - marshal: {json: {}}
              - to:
                  id: call-partner
                  uri: "{{partner.url}}/rows"
                  parameters: {httpMethod: POST}
        - log: {id: done, message: "\${header.CamelFileName} processed"}
`,
    tests: `flow: NAME.yaml
params: {in.dir: /tmp/NAME-in, partner.url: http://partner.invalid}
tests:
  - name: sends one request per row
    mocks: [{id: partner, match: {stepId: call-partner}, respond: {status: 200}}]
    when: {route: NAME, headers: {CamelFileName: a.csv}, body: "sku,price\\nKB-1,49.90\\nMS-7,19.50\\n"}
    then:
      - status: completed
      - mockCalled: {mock: partner, times: 2}
      - mockCalled: {mock: partner, call: first, with: {body: {sku: KB-1}}}
`,
  },
  router: {
    params: {},
    flow: `- route:
    id: NAME
    description: Route by weight
    from:
      uri: webhook
      steps:
        - unmarshal: {json: {}}
        - choice:
            id: by-weight
            when:
              - simple: "\${body.weight} > 30"
                steps: [{setBody: {id: freight, constant: freight}}]
              - simple: "\${body.express} == true"
                steps: [{setBody: {id: express, constant: express}}]
            otherwise:
              steps: [{setBody: {id: standard, constant: standard}}]
`,
    tests: `flow: NAME.yaml
tests:
  - name: "\${row.weight} kg, express \${row.express}: \${row.service}"
    when: {webhook: NAME, body: {weight: "\${row.weight}", express: "\${row.express}"}}
    then:
      - reply: {status: 200, bodyEquals: "\${row.service}"}
      - visited: ["\${row.service}"]
    each:
      - {weight: 31, express: true, service: freight}
      - {weight: 2, express: true, service: express}
      - {weight: 30, express: false, service: standard}
`,
  },
};
