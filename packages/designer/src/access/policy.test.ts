import { describe, expect, it } from "vitest";
import { documentOf, errorAt, pathText, parseErrors, withoutErrors } from "./policy-edits.ts";
import { valueAt, withValue } from "../controls/json-path.ts";
import { decideAccess } from "./policy-decision.ts";

describe("editing a policy", () => {
  it("changes one value and keeps the others", () => {
    const policy = { authenticate: [{ type: "basic", users: [{ username: "a", password: "***" }] }], rules: [{}] };
    const next = withValue(policy, ["authenticate", 0, "users", 0, "roles"], ["x"]);
    expect(next).toEqual({ authenticate: [{ type: "basic", users: [{ username: "a", password: "***", roles: ["x"] }] }], rules: [{}] });
    expect(next["rules"]).toBe(policy.rules);
    expect(withValue({ default: "deny" }, ["default"], undefined)).toEqual({});
    expect(withValue({}, ["ip", "allow"], ["::1"])).toEqual({ ip: { allow: ["::1"] } });
    expect(valueAt(policy, ["rules", 3, "roles"])).toBeUndefined();
  });

  it("omits read-only members and empty values from the request body", () => {
    expect(documentOf({ flowId: "f", lastModified: "now", hash: "h", authenticate: [], rules: [], ip: { deny: [] }, rateLimit: { limit: 1 } })).toEqual({
      rateLimit: { limit: 1 },
    });
    expect(documentOf({ ip: { allow: ["10.0.0.0/8"], deny: [] } })).toEqual({ ip: { allow: ["10.0.0.0/8"] } });
  });

  it("assigns each validation error to its field", () => {
    const errors = parseErrors(
      "access policy 'orders': authenticate[0].keys[1].key: is required; ip.allow[2]: must be an address or a network such as 10.0.0.0/8 or 2001:db8::/32; and 2 more",
    );
    expect(pathText(["authenticate", 0, "keys", 1, "key"])).toBe("authenticate[0].keys[1].key");
    expect(errorAt(errors, ["authenticate", 0, "keys", 1, "key"])).toBe("is required");
    expect(errorAt(errors, ["ip", "allow"])).toBe("[2] must be an address or a network such as 10.0.0.0/8 or 2001:db8::/32");
    expect(errorAt(errors, ["authenticate"])).toBeUndefined();
    expect(errors.rest).toEqual(["and 2 more"]);
    expect([...withoutErrors(errors, ["authenticate"]).fields.keys()]).toEqual(["ip.allow[2]"]);
    expect([...withoutErrors(errors, ["authenticate", 0, "keys", 1, "id"]).fields.keys()]).toHaveLength(2);
    expect(parseErrors("The designer server is not responding.").rest).toEqual(["The designer server is not responding."]);
  });
});

describe("the policy decision for a call", () => {
  const policy = {
    authenticate: [{ type: "apiKey" }],
    rules: [
      { routes: ["order-*"], methods: ["POST"], roles: ["write"] },
      { methods: ["GET"], public: true },
    ],
  };
  const call = { route: "order-in", method: "POST", roles: ["write"], hasCredentials: true };
  it.each([
    [policy, call, { rule: 1, outcome: "allowed" }],
    [policy, { ...call, roles: ["read"] }, { rule: 1, outcome: "forbidden" }],
    [policy, { ...call, hasCredentials: false }, { rule: 1, outcome: "unauthorized" }],
    [policy, { ...call, route: "border-in" }, { rule: undefined, outcome: "forbidden" }],
    [policy, { ...call, method: "HEAD", hasCredentials: false }, { rule: 2, outcome: "public" }],
    [
      { ...policy, default: "allow" },
      { ...call, method: "PUT" },
      { rule: undefined, outcome: "allowed" },
    ],
    [{ ip: { deny: ["::1"] } }, { ...call, hasCredentials: false }, { rule: undefined, outcome: "allowed" }],
    [{ ...policy, rules: [{ routes: [], public: true }] }, call, { rule: undefined, outcome: "forbidden" }],
    [{ rules: [{ roles: ["write"] }] }, call, { rule: 1, outcome: "forbidden" }],
  ])("policy %j, call %j: %j", (candidate, request, decision) => {
    expect(decideAccess(candidate, request)).toEqual(decision);
  });
});
