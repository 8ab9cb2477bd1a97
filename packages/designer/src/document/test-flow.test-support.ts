/** A flow with comments, unusual spacing and nesting, for tests that check that nothing else changes. */
export const sampleText = `# orders come in here
- route:
    id: orders
    description: Orders to ERP
    group: data-sync
    from:
      uri: direct:orders
      steps:
        - setBody:   # the id
            simple: "\${body}"
        - choice:
            when:
              - simple: "\${body} == 'a'"
                steps:
                  - log: {message: first}
            otherwise:
              steps:
                - to: mock:b

        - log:
            id: last
            message: done
`;
