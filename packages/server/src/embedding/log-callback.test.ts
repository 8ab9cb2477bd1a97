import { describe, expect, it } from "vitest";
import { createSecretValues } from "../masking/secret-values.ts";
import { withLogCallback, type EmbeddedLogRecord } from "./log-callback.ts";

const silent = { isEnabled: () => false, write: () => undefined };

function errorOf(error: unknown): unknown {
  const secrets = createSecretValues();
  secrets.set("flow", ["top-secret"]);
  const records: EmbeddedLogRecord[] = [];
  const listener = withLogCallback({ onLog: (record) => records.push(record), minLevel: "INFO", secrets }, silent);
  listener.write({ at: 0, level: "ERROR", logger: "test", message: "failed", exchange: undefined, fields: { error } });
  return records[0]?.error;
}

describe("the log callback of an embedded runtime", () => {
  it("gets errors with masked secrets", () => {
    const cause = new TypeError("http://user:password@host failed");
    const error = Object.assign(new Error("login with top-secret failed", { cause }), { code: "EAUTH" });
    const shown = errorOf(error) as Error & { readonly code: string };
    expect(shown).toBeInstanceOf(Error);
    expect(shown).toMatchObject({ name: "Error", message: "login with *** failed", code: "EAUTH" });
    expect(shown.stack).toMatch(/^Error: login with \*\*\* failed\n +at /);
    expect(shown.cause).toMatchObject({ name: "TypeError", message: "http://user:***@host failed" });
    expect(error.message).toContain("top-secret");
  });

  it("gets other values with masked secrets, and errors that are their own cause", () => {
    expect(errorOf("top-secret")).toBe("***");
    expect(errorOf({ reason: ["top-secret", 1] })).toEqual({ reason: ["***", 1] });
    const circular = new Error("again");
    circular.cause = circular;
    expect(errorOf(circular)).toMatchObject({ message: "again" });
  });
});
