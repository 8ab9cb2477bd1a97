// What the messages of bench:connectors have in common.

export const kilobyte = "x".repeat(1024);
/** Clients that send bytes encode the text of each message, as the route does. */
export const encodeBody = () => Buffer.from(kilobyte);
/** Sent with each message, because a route that was called over HTTP sends one. */
export const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/**
 * The steps of a sink's route before its send. The number is a property: a header would be sent with the message, and the bare client
 * sends none.
 */
export const sinkSteps = `{setProperty: {name: n, simple: "\${body}"}}, {setBody: {constant: ${kilobyte}}}`;
