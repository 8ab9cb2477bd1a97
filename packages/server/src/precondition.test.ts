import { describe, expect, it } from "vitest";
import { checkPrecondition, isKnownVersion, readPrecondition } from "./precondition.ts";

/** The message of the error, or `ok`. */
function outcome(headers: Readonly<Record<string, string>>, current: { readonly hash?: string } | "missing" = { hash: "x" }): string {
  try {
    checkPrecondition("flow 'a'", readPrecondition(headers, "delete it"), current === "missing" ? undefined : current);
    return "ok";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("If-Match compares strongly", () => {
  it.each(['"x"', '"y", "x"', '"a,b","x"', ' , "x" , ,', "*", " * ", '"", W/"x", "x"'])("%s matches", (header) => {
    expect(outcome({ "if-match": header })).toBe("ok");
  });

  it.each([
    ['"y"', "flow 'a' changed since hash y"],
    ['"a,x,b"', "flow 'a' changed since hash a,x,b"],
    ['W/"y", "z"', "flow 'a' changed since hash y, z"],
    ['W/"x"', "flow 'a' cannot be matched by a weak ETag: remove 'W/' from If-Match"],
  ])("%s does not match", (header, message) => {
    expect(outcome({ "if-match": header })).toBe(message);
  });

  it("an item that does not exist matches nothing", () => {
    expect(outcome({ "if-match": '"x"' }, "missing")).toBe("flow 'a' changed since hash x");
    expect(outcome({ "if-match": "*" }, "missing")).toBe("flow 'a' does not exist, but 'If-Match: *' requires it: remove the header");
  });

  it("an unreadable item matches only '*'", () => {
    expect(outcome({ "if-match": "*" }, {})).toBe("ok");
    expect(outcome({ "if-match": '""' }, {})).not.toBe("ok");
  });
});

describe("If-None-Match compares weakly", () => {
  it.each([
    ['"x"', "flow 'a' has the hash in If-None-Match"],
    ['"y", W/"x"', "flow 'a' has the hash in If-None-Match"],
    ["*", "flow 'a' already exists: remove 'If-None-Match: *' to delete it"],
  ])("%s rejects a change", (header, message) => {
    expect(outcome({ "if-none-match": header })).toBe(message);
    expect(outcome({ "if-none-match": header }, "missing")).toBe("ok");
  });

  it.each([
    ['"x"', true],
    ['W/"x"', true],
    ["*", true],
    ['"x,y"', false],
    ['"y"', false],
  ])("%s: whether a caller has version x is %s", (header, isKnown) => {
    expect(isKnownVersion({ "if-none-match": header }, '"x"')).toBe(isKnown);
  });

  it("without the header, no version is known", () => {
    expect(isKnownVersion({}, '"x"')).toBe(false);
  });
});

it.each(["x", "", ",", '"x', 'x"', '"x" "y"', 'w/"x"', '*, "x"', '"x", y', "W/x"])("%j is not a list of ETags", (header) => {
  expect(outcome({ "if-match": header })).toBe(`If-Match must be '*' or hashes in double quotes, such as "2c26b46b"`);
  expect(outcome({ "if-none-match": header })).toBe(`If-None-Match must be '*' or hashes in double quotes, such as "2c26b46b"`);
});
