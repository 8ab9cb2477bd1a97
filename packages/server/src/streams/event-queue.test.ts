import fc from "fast-check";
import { expect, it } from "vitest";
import { EventQueue } from "./event-queue.ts";
import { plainEvent, type StreamEvent } from "./stream-event.ts";

const eventOf = (number: number, bytes: number): StreamEvent => {
  const event = plainEvent({}, bytes, () => "{}");
  event.number = number;
  return event;
};

it("keeps the newest events within its limits, and reports evictions", () => {
  const step = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 60 }) }, { weight: 1, arbitrary: fc.constant(0) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 200 }), fc.array(step, { maxLength: 60 }), (maxEvents, maxBytes, steps) => {
      const queue = new EventQueue({ maxEvents, maxBytes });
      let model: StreamEvent[] = [];
      steps.forEach((bytes, number) => {
        if (bytes === 0) {
          expect(queue.takeAll()).toEqual(model);
          model = [];
        } else {
          const event = eventOf(number, bytes);
          const previousSize = model.length;
          model.push(event);
          while (model.length > maxEvents || (model.length > 1 && model.reduce((sum, stored) => sum + stored.bytes, 0) > maxBytes)) model.shift();
          expect(queue.push(event)).toBe(previousSize + 1 - model.length);
        }
        expect(queue.list()).toEqual(model);
        expect([queue.size, queue.oldest]).toEqual([model.length, model[0]]);
      });
    }),
  );
});
