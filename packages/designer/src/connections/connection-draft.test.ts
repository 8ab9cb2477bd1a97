import { describe, expect, it } from "vitest";
import type { OptionView } from "@sluice/model";
import { documentOf, fieldErrorOf, fieldGroups, isUsed } from "./connection-draft.ts";

describe("a connection draft", () => {
  it("sends only the fields with values, and masked secrets unchanged", () => {
    expect(
      documentOf({
        type: "postgres",
        title: "  ",
        values: { host: "db", port: 0, tls: false, user: "", password: { value: "***", secret: true }, token: { env: "" }, pem: { key: "", ca: "x" } },
      }),
    ).toEqual({ type: "postgres", values: { host: "db", port: 0, tls: false, password: { value: "***", secret: true }, pem: { ca: "x" } } });
  });

  it("finds the field that an error names", () => {
    expect(fieldErrorOf("property 'port' of connection 'orders': expected an integer, got 'x'")?.field).toBe("port");
    expect(fieldErrorOf("connection 'orders': the variable 'DB_PW' of 'tls.key' is not set")?.field).toBe("tls.key");
    expect(fieldErrorOf("connection 'orders': 'password' references a file, but SERVICE_SECRETS_DIR is not set")?.field).toBe("password");
    expect(fieldErrorOf("connection 'orders': unknown type 'x'")).toBeUndefined();
  });

  it("lists required fields first and detects which group is in use", () => {
    const field = (name: string, group: OptionView["group"], required = false): OptionView =>
      ({ name, kind: "string", type: "string", doc: "", required, group, secret: false }) as OptionView;
    const groups = fieldGroups([field("user", "common"), field("file", "common", true), field("max", "advanced")]);
    expect(groups.common.map(({ name }) => name)).toEqual(["file", "user"]);
    expect([isUsed(groups.advanced, { user: "x" }), isUsed(groups.advanced, { max: 1 })]).toEqual([false, true]);
  });
});
