/** The flow of a soak test; each version responds with its number, so that a mix of two versions would be detected. */
export const soakFlow = (version) => `- route:
    id: sluice-soak-plain
    from:
      uri: webhook
      steps:
        - setHeader: {name: version, constant: "${version}"}
        - setBody: {simple: "${version} \${header.n} \${header.version}"}
- route:
    id: sluice-soak-fail
    from:
      uri: webhook
      steps:
        - throwException: {exceptionType: java.lang.IllegalStateException, message: "requested failure"}
- route:
    id: sluice-soak-queue
    from:
      uri: webhook
      steps:
        - split:
            tokenize: ","
            steps: [{to: "seda:sluice-soak?size=100000&blockWhenFull=true&waitForTaskToComplete=Never"}]
        - setBody: {simple: "${version} \${header.n} ${version}"}
- route:
    id: sluice-soak-sink
    from:
      uri: seda:sluice-soak?size=100000
      steps:
        - log: {message: "\${body}", loggingLevel: TRACE}
- route:
    id: sluice-soak-slow
    from:
      uri: webhook
      steps:
        - delay: {constant: "20"}
        - setBody: {simple: "${version} \${header.n} ${version}"}
- route:
    id: sluice-soak-hang-up
    from:
      uri: webhook
      steps:
        - delay: {constant: "50"}
`;

export const soakRoutes = ["plain", "fail", "queue", "sink", "slow", "hang-up"];
export const routeId = (route) => `sluice-soak-${route}`;
export const flowId = "sluice-soak";
