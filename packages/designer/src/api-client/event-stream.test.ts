import fc from "fast-check";
import { expect, test } from "vitest";
import { EventParser, type StreamEvent } from "./event-stream.ts";

const stream = 'retry: 2000\n: connected\n\nid: 1\nevent: trace\ndata: {"a":1}\n\nid: 2\nevent: log\ndata: line one\ndata: line two\n\n';
const expected: StreamEvent[] = [
  { id: "1", name: "trace", data: '{"a":1}' },
  { id: "2", name: "log", data: "line one\nline two" },
];

test("gives the same events however the text is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 80 }), fc.constantFrom("\n", "\r\n"), (sizes, lineEnd) => {
      const text = stream.replaceAll("\n", lineEnd);
      const events: StreamEvent[] = [];
      const parser = new EventParser((event) => events.push(event));
      let at = 0;
      for (const size of sizes) parser.push(text.slice(at, (at += size)));
      parser.push(text.slice(at));
      expect(events).toEqual(expected);
    }),
  );
});
