import fc from "fast-check";
import { expect, it } from "vitest";
import { EventParser, type ServerEvent } from "./event-stream.ts";

const stream = 'retry: 2000\n: connected\n\nid: 1\nevent: trace\ndata: {"a":1}\n\n: heartbeat\n\ndata: {"b":\ndata: "x: y"}\n\nid:3\nevent:gap\ndata:null\n\n';
const expected: ServerEvent[] = [
  { id: "1", name: "trace", data: { a: 1 } },
  { id: undefined, name: "message", data: { b: "x: y" } },
  { id: "3", name: "gap", data: null },
];

it("parses the same events for any chunking and line ends", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 80 }), fc.constantFrom("\n", "\r\n"), (sizes, lineEnd) => {
      const text = stream.replaceAll("\n", lineEnd);
      const parser = new EventParser();
      let at = 0;
      const events = sizes.flatMap((size) => parser.push(text.slice(at, (at += size))));
      expect([...events, ...parser.push(text.slice(at))]).toEqual(expected);
    }),
  );
});

it("buffers incomplete events, and rejects an event that is too large", () => {
  const parser = new EventParser();
  expect(parser.push("data: 1\n")).toEqual([]);
  expect(parser.push("\n")).toEqual([{ id: undefined, name: "message", data: 1 }]);
  const part = "x".repeat(1024 * 1024);
  const sendLargeEvent = (): void => {
    for (let count = 0; count < 5; count++) parser.push(`data: ${part}\n`);
  };
  expect(sendLargeEvent).toThrow("an event of the stream is too large");
});
