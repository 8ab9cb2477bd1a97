import { Writable } from "node:stream";
import { setImmediate as immediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { combineUntilImmediate, combineWrites } from "./combine-writes.ts";

/** A stream that records the data of each write call. */
function recordingStream(): { readonly stream: Writable; readonly sent: string[] } {
  const sent: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => (sent.push(chunk), done()),
    writev: (chunks, done) => (sent.push(chunks.map(({ chunk }) => chunk as string).join("")), done()),
  });
  return { stream, sent };
}

it("sends everything written in one tick with one call", async () => {
  const { stream, sent } = recordingStream();
  for (const text of ["a", "b", "c"]) {
    combineWrites(stream);
    stream.write(text);
  }
  expect(sent).toEqual([]);
  await immediate();
  stream.write("d");
  expect(sent).toEqual(["abc", "d"]);
});

it("sends buffered data when it reaches the maximum size", async () => {
  const { stream, sent } = recordingStream();
  for (const text of ["aa", "bb", "cc", "dd", "e"]) {
    combineWrites(stream, 4);
    stream.write(text);
  }
  expect(sent).toEqual(["aabb", "ccdd"]);
  await immediate();
  stream.write("f");
  expect(sent).toEqual(["aabb", "ccdd", "e", "f"]);
});

it("sends everything that a client writes in its own setImmediate callback with one call", async () => {
  const { stream, sent } = recordingStream();
  const frames: string[] = [];
  const writeLater = (): void => void setImmediate(() => frames.splice(0).forEach((frame) => stream.write(frame)));
  for (const frame of ["a", "b", "c"]) {
    if (frames.push(frame) === 1) process.nextTick(writeLater);
    combineUntilImmediate(stream);
  }
  await immediate();
  await immediate();
  stream.write("d");
  expect(sent).toEqual(["abc", "d"]);
});
