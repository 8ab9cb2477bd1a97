// Reference for bench:cluster with HTTP: a minimal node:http server that publishes each body with the bare NATS client and replies 202 when JetStream
// has acknowledged it.
import { createServer } from "node:http";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";

const [servers] = process.argv.slice(2);
const connection = await connect({ servers: servers.split(","), noAsyncTraces: true });
const manager = await jetstreamManager(connection);
const name = "bare_http";
await manager.streams.add({ name, subjects: [name], num_replicas: servers.split(",").length, storage: "file" });
const client = jetstream(connection);
let count = 0;
const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", async () => {
    const messageId = `${process.pid}/${++count}`;
    await client.publish(name, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks), { msgID: messageId });
    response.writeHead(202, { "content-type": "application/json" }).end(JSON.stringify({ messageId }));
  });
});
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ baseUrl: `http://127.0.0.1:${server.address().port}` })));
process.on("SIGTERM", () => process.exit(0));
