// Reference for bench:cluster: the NATS client alone, with 64 publications in flight. Publishes for the given number of seconds and prints one line
// of JSON.
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";

const [servers, seconds, bytes] = process.argv.slice(2);
const window = 64;
const connection = await connect({ servers: servers.split(","), noAsyncTraces: true });
const manager = await jetstreamManager(connection);
const name = "bare";
await manager.streams.add({ name, subjects: [name], num_replicas: servers.split(",").length, storage: "file" }).catch(() => undefined);
const client = jetstream(connection);
const body = new Uint8Array(Number(bytes)).fill(120);
let count = 0;
const publishUntil = async (until) => {
  while (performance.now() < until) {
    await client.publish(name, body, { msgID: `${process.pid}/${++count}` });
  }
};
const publishFor = (milliseconds) => Promise.all(Array.from({ length: window }, () => publishUntil(performance.now() + milliseconds)));
await publishFor(Math.min(1, seconds) * 1_000);
const [before, startTime] = [count, performance.now()];
await publishFor(Number(seconds) * 1_000);
console.log(JSON.stringify({ perSecond: ((count - before) * 1_000) / (performance.now() - startTime) }));
await connection.close();
