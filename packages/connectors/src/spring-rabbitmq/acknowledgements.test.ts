import type { ConsumeMessage } from "amqplib";
import { beforeEach, expect, it } from "vitest";
import { Acknowledgements } from "./acknowledgements.ts";

let isOpen = true;
let isClosing = false;
let frames: string[] = [];
let problems: unknown[] = [];
let acknowledgements: Acknowledgements;

const message = (deliveryTag: number): ConsumeMessage => ({ fields: { deliveryTag } }) as ConsumeMessage;
const endOfTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  isOpen = true;
  isClosing = false;
  frames = [];
  problems = [];
  const channel = {
    ack({ fields }: { fields: { deliveryTag: number } }, isMultiple = false): void {
      if (isClosing) throw new Error("Connection closing");
      frames.push(`ack ${fields.deliveryTag}${isMultiple ? " and before" : ""}`);
    },
    nack: ({ fields }: { fields: { deliveryTag: number } }, _isMultiple?: boolean, isRequeued?: boolean) =>
      void frames.push(`${isRequeued === true ? "return" : "reject"} ${fields.deliveryTag}`),
  };
  acknowledgements = new Acknowledgements({ channel, isOpen: () => isOpen, failed: (error) => void problems.push(error) });
  for (let tag = 1; tag <= 5; tag++) acknowledgements.received(message(tag));
});

it("acknowledges messages that are done in the same tick with one frame", async () => {
  for (const tag of [1, 3, 2]) acknowledgements.acknowledge(message(tag));
  expect(frames).toEqual([]);
  await endOfTick();
  acknowledgements.acknowledge(message(4));
  await endOfTick();
  expect(frames).toEqual(["ack 3 and before", "ack 4"]);
});

it("never covers a message in progress", async () => {
  for (const tag of [1, 2, 4, 5]) acknowledgements.acknowledge(message(tag));
  await endOfTick();
  expect(frames).toEqual(["ack 4", "ack 5", "ack 2 and before"]);
  acknowledgements.acknowledge(message(3));
  await endOfTick();
  expect(frames.at(-1)).toBe("ack 3");
});

it("rejects a message before later ones are acknowledged together", async () => {
  acknowledgements.acknowledge(message(1));
  acknowledgements.reject(message(2), true);
  acknowledgements.reject(message(3), false);
  acknowledgements.acknowledge(message(4));
  await endOfTick();
  expect(frames).toEqual(["return 2", "reject 3", "ack 4 and before"]);
});

it("settles nothing on a closed channel", async () => {
  acknowledgements.acknowledge(message(1));
  isOpen = false;
  acknowledgements.reject(message(2), true);
  await endOfTick();
  expect(frames).toEqual([]);
});

it("reports acknowledgements that the client rejects", async () => {
  acknowledgements.acknowledge(message(1));
  isClosing = true;
  await endOfTick();
  expect([frames, problems]).toEqual([[], [new Error("Connection closing")]]);
});
