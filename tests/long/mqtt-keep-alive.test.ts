// A message that is processed for longer than the keep-alive interval, with a real broker, which closes a connection that is silent for one and a half
// intervals.
import mqtt from "mqtt";
import { serverFor } from "@sluice/testkit";
import { expect, it } from "vitest";
import { expectEventually, startBrokerRuntime, uniqueName } from "../broker-runtime.ts";

const server = await serverFor("mosquitto", { isDurable: false });
/** Long, so that a short stall of the machine does not count as a silent connection. */
const keepAliveSeconds = 8;

it.skipIf(server === undefined)("a source keeps its connection during a run that takes longer than the keep-alive interval (needs Mosquitto)", async () => {
  const broker = `127.0.0.1:${server?.port}`;
  const runtime = await startBrokerRuntime();
  const client = await mqtt.connectAsync(`mqtt://${broker}`, { protocolVersion: 5 });
  const name = uniqueName();
  const texts: string[] = [];
  client.on("message", (_topic, payload) => void texts.push(payload.toString()));
  await client.subscribeAsync(`${name}/out`, { qos: 2 });
  await runtime.deploy(
    name,
    `- route: {id: ${name}, from: {uri: "paho-mqtt5:${name}/in?brokerUrl=tcp://${broker}&qos=1&keepAliveInterval=${keepAliveSeconds}", steps: [{delay: {simple: "\${body}"}}, {to: "paho-mqtt5:${name}/out?brokerUrl=tcp://${broker}"}]}}`,
  );
  await expectEventually(() => runtime.routeStatus(name), "Started");
  // The source receives one message at a time, so the second one shows that the connection survived the first.
  for (const delayMs of [keepAliveSeconds * 2_500, 0]) await client.publishAsync(`${name}/in`, String(delayMs), { qos: 1 });
  await expectEventually(() => texts.length, 2);
  expect([texts, await runtime.routeStatus(name)]).toEqual([[String(keepAliveSeconds * 2_500), "0"], "Started"]);
  expect(runtime.logText()).not.toContain("closed the connection");
  await client.endAsync();
  await runtime.end();
  await server?.end();
});
