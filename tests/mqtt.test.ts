// Flows that use a real MQTT broker.
import type { Socket } from "node:net";
import mqtt, { type MqttClient } from "mqtt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FaultyLink, serverFor } from "@sluice/testkit";
import {
  expectEventually,
  expectFailedRoute,
  numberedMessages,
  sometimesFailingSteps,
  startBrokerRuntime,
  uniqueName,
  waitForAllDespiteCuts,
  type BrokerRuntime,
} from "./broker-runtime.ts";

// A durable Mosquitto writes and flushes its whole database after each message.
const server = await serverFor("mosquitto", { isDurable: false });

describe.skipIf(server === undefined)("paho and paho-mqtt5 (needs Mosquitto)", { concurrent: true }, () => {
  const { port = 0 } = server ?? {};
  const broker = `tcp://127.0.0.1:${port}`;
  let runtime: BrokerRuntime;
  let client: MqttClient;

  beforeAll(async () => {
    runtime = await startBrokerRuntime();
    client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 });
    (client.stream as Socket).setNoDelay(true);
    // Every test adds its own listener.
    client.setMaxListeners(100);
  });
  afterAll(async () => {
    await client?.endAsync();
    await runtime?.end();
    await server?.end();
  });

  /** All messages that arrive on a topic from now on. */
  const received = async (topic: string): Promise<{ texts: string[]; properties: Record<string, unknown>[] }> => {
    const found = { texts: [] as string[], properties: [] as Record<string, unknown>[] };
    client.on("message", (name, payload, packet) => {
      if (name !== topic) return;
      found.texts.push(payload.toString());
      found.properties.push({ ...packet.properties?.userProperties });
    });
    await client.subscribeAsync(topic, { qos: 2 });
    return found;
  };

  for (const [scheme, sessionOption] of [
    ["paho", "cleanSession"],
    ["paho-mqtt5", "cleanStart"],
  ] as const) {
    it(`${scheme}: moves messages from one topic to another, in order`, async () => {
      const name = uniqueName();
      const out = await received(`${name}/out`);
      await runtime.deploy(
        name,
        `- route: {id: ${name}, from: {uri: "${scheme}:${name}/in/+?brokerUrl=${broker}", steps: [{setHeader: {name: topic, simple: "\${header.CamelMqttTopic}"}}, {to: "${scheme}:${name}/out?brokerUrl=${broker}"}]}}`,
      );
      await expectEventually(() => runtime.routeStatus(name), "Started");
      for (const qos of [0, 1, 2] as const) {
        for (const text of numberedMessages(50)) await client.publishAsync(`${name}/in/a`, text, { qos, properties: { userProperties: { orderId: "7" } } });
        await expectEventually(() => out.texts.length, 50);
        // Order is guaranteed among messages of the same QoS.
        expect(out.texts.splice(0)).toEqual(numberedMessages(50));
      }
      if (scheme === "paho-mqtt5") expect(out.properties[0]).toMatchObject({ orderId: "7", topic: `${name}/in/a` });
    });

    it(`${scheme}: dead-letters failed messages unchanged`, async () => {
      const name = uniqueName();
      const out = await received(`${name}/out`);
      await runtime.deploy(
        name,
        `- route: {id: ${name}, from: {uri: "${scheme}:${name}/in?brokerUrl=${broker}&qos=1", steps: [${sometimesFailingSteps}, {to: "${scheme}:${name}/out?brokerUrl=${broker}"}]}}`,
      );
      await expectEventually(() => runtime.routeStatus(name), "Started");
      for (const text of numberedMessages(50)) await client.publishAsync(`${name}/in`, text, { qos: 1 });
      await expectEventually(() => out.texts.length, 45);
      const deadLetters = (await runtime.deadLetters()).filter(({ routeId }) => routeId === name);
      expect(deadLetters.map(({ body }) => body).toSorted()).toEqual([7, 17, 27, 37, 47].map((number) => `message ${number}`).toSorted());
    });

    for (const qos of [1, 2] as const)
      it(`${scheme}: loses no message with qos ${qos} when connections are dropped, inbound and outbound`, async () => {
        const name = uniqueName();
        const count = 60;
        const link = await FaultyLink.to({ host: "127.0.0.1", port });
        const faulty = `tcp://127.0.0.1:${link.port}`;
        const out = await received(`${name}/out`);
        await runtime.deploy(
          name,
          `- route: {id: ${name}, errorHandler: {defaultErrorHandler: {redeliveryPolicy: {maximumRedeliveries: 20, redeliveryDelay: 100}}}, from: {uri: "${scheme}:${name}/in?brokerUrl=${faulty}&qos=${qos}&${sessionOption}=false", steps: [{to: "${scheme}:${name}/out?brokerUrl=${faulty}&qos=${qos}"}]}}`,
        );
        await expectEventually(() => runtime.routeStatus(name), "Started");
        const send = async (): Promise<void> => {
          for (const text of numberedMessages(count)) await client.publishAsync(`${name}/in`, text, { qos });
        };
        await Promise.all([send(), waitForAllDespiteCuts(link, count, () => out.texts)]);
        await runtime.api("DELETE", `/flows/${name}`);
        await link.close();
      });
  }

  it("keeps messages for a disconnected source, with cleanStart=false", async () => {
    const name = uniqueName();
    const out = await received(`${name}/out`);
    const flow = `- route: {id: ${name}, from: {uri: "paho-mqtt5:${name}/in?brokerUrl=${broker}&qos=1&cleanStart=false", steps: [{to: "paho-mqtt5:${name}/out?brokerUrl=${broker}"}]}}`;
    await runtime.deploy(name, flow);
    await expectEventually(() => runtime.routeStatus(name), "Started");
    await runtime.api("DELETE", `/flows/${name}`);
    await client.publishAsync(`${name}/in`, "meanwhile", { qos: 1 });
    await runtime.deploy(name, flow);
    await expectEventually(() => out.texts[0], "meanwhile");
  });

  it("does not reconnect with automaticReconnect=false", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to({ host: "127.0.0.1", port });
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "paho:${name}/in?brokerUrl=tcp://127.0.0.1:${link.port}&automaticReconnect=false", steps: [{log: in}]}}`,
    );
    await expectEventually(() => runtime.routeStatus(name), "Started");
    link.cut();
    const reason = "because of automaticReconnect=false: restart the route";
    await expectEventually(async () => (await runtime.api("GET", `/flows/${name}`)).text.includes(reason), true);
    expect(await runtime.routeStatus(name)).toBe("Failed");
    await runtime.api("DELETE", `/flows/${name}`);
    await link.close();
  });

  it("starts while the broker is down, reports it, and receives when it is up", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to({ host: "127.0.0.1", port });
    await link.refuse();
    const out = await received(`${name}/out`);
    await expectFailedRoute(runtime, name, () =>
      runtime.deploy(
        name,
        `- route: {id: ${name}, from: {uri: "paho-mqtt5:${name}/in?brokerUrl=tcp://127.0.0.1:${link.port}", steps: [{to: "paho-mqtt5:${name}/out?brokerUrl=${broker}"}]}}`,
      ),
    );
    await link.open();
    await expectEventually(() => runtime.routeStatus(name), "Started");
    await client.publishAsync(`${name}/in`, "back", { qos: 1 });
    await expectEventually(() => out.texts[0], "back");
    await runtime.api("DELETE", `/flows/${name}`);
    await link.close();
  });
});
