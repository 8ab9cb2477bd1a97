export const sampleFlowId = "welcome-to-sluice";

/** The flow of a new workspace: a timer, a choice and a webhook. */
export const sampleFlow = `# A sample flow. Select Deploy, then open Runs and Logs.
- route:
    id: welcome-to-sluice
    description: Welcome to Sluice
    group: utility
    from:
      uri: timer:welcome
      parameters:
        period: 5s
      steps:
        - setBody:
            id: make-order
            simple: "\${random(1,500)}"
        - choice:
            id: large-or-small
            when:
              # Large orders need a review.
              - simple: "\${body} > 250"
                steps:
                  - log:
                      id: large-order
                      message: "large order of \${body}"
            otherwise:
              steps:
                - log:
                    id: small-order
                    message: "small order of \${body}"

- route:
    id: welcome-webhook
    description: Replies to a call
    from:
      uri: platform-http:/api/welcome-webhook
      steps:
        - log:
            id: log-body
            message: "\${body}"
        - setBody:
            id: reply
            constant: ok
`;
