import { describe, expect, it } from "vitest";
import { jsonView, partOfJson } from "./json-view.ts";
import { addReader, cacheLongText, longJson, recallLongText } from "./long-json.ts";

const records = Array.from({ length: 30_000 }, (_, index) => ({ id: index }));
const text = JSON.stringify({ list: records, small: { a: 1 } });

function parsedAhead(): { readonly message: object; readonly value: { list: unknown[]; small: object } } {
  const message = {};
  const value = JSON.parse(text) as { list: unknown[]; small: object };
  cacheLongText(text, message, { value, error: undefined, isExact: true, step: "one", readers: 1, isHandedOut: false });
  return { message, value };
}

describe("a part of a long JSON text that goes into a message", () => {
  it("is copied when it is small, and the parsed value stays cached", () => {
    const { value } = parsedAhead();
    const part = partOfJson(value.small, text);
    expect(part).toEqual({ a: 1 });
    expect(part).not.toBe(value.small);
    expect(jsonView(text)).toBe(value);
  });

  it("is not copied when it is large; the next reader parses the text again", () => {
    const { message, value } = parsedAhead();
    expect(partOfJson(value.list, text)).toBe(value.list);
    value.list.length = 0;
    expect(longJson(text)).toBeUndefined();
    expect(recallLongText(text, message, "two")).toBe(false);
    expect((jsonView(text) as typeof value).list).toHaveLength(30_000);
  });

  it("is copied while another expression of the step reads the text", () => {
    const { message, value } = parsedAhead();
    expect(recallLongText(text, message, "one")).toBe(true);
    const first = partOfJson(value.list, text);
    expect(first).not.toBe(value.list);
    expect(first).toEqual(value.list);
    expect(partOfJson(value.list, text)).toBe(value.list);
  });

  it("counts only the expressions of the current step", () => {
    const { value } = parsedAhead();
    const json = longJson(text);
    if (json === undefined) throw new Error("not cached");
    addReader(json, "one");
    addReader(json, "two");
    expect(partOfJson(value.list, text)).toBe(value.list);
  });
});
