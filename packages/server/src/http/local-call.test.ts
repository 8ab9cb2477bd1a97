import { describe, expect, it } from "vitest";
import { ServiceError } from "../service-error.ts";
import { callManagement } from "./local-call.ts";
import type { ApiRequest, ManagementHandler } from "./management.ts";

const call = (management: ManagementHandler, path: string, body?: unknown, method = "POST") =>
  callManagement(management, { method, path, token: "secret", body });

describe("an in-process call to the management API", () => {
  it("passes the same data as an HTTP request", async () => {
    let seen: ApiRequest | undefined;
    const reply = await call(
      async (request, respond) => {
        seen = request;
        respond.json(201, { read: JSON.parse((await request.readBody()).toString()) }, { ETag: '"1"' });
      },
      "/_api/flows/a%20b?dryRun=true",
      { text: "ü" },
    );
    expect(reply).toEqual({ status: 201, headers: { "content-type": "application/json", etag: '"1"' }, text: '{"read":{"text":"ü"}}' });
    expect([seen?.method, seen?.segments, seen?.query.get("dryRun"), seen?.authorization]).toEqual(["POST", ["flows", "a b"], "true", ["Bearer secret"]]);
    expect(seen?.signal.aborted).toBe(false);
  });

  it("returns the first reply, errors as an object with the field 'error', and an empty body as empty text", async () => {
    const twice = await call((_, respond) => {
      respond.error({ code: "conflict", message: "conflict" });
      respond.json(200, {});
    }, "/_api/flows/a");
    expect([twice.status, twice.headers["x-error-code"], twice.text]).toEqual([409, "conflict", '{"error":"conflict"}']);
    expect(await call((_, respond) => respond.send(204, undefined), "/_api")).toEqual({ status: 204, headers: {}, text: "" });
  });

  it("enforces the body limit, and rejects streams and other paths", async () => {
    await expect(call(async ({ readBody }) => void (await readBody(3)), "/_api/flows", "long")).rejects.toThrow(
      new ServiceError("body-too-large", "the body is larger than 3 bytes"),
    );
    await expect(call((_, respond) => void respond.stream(200, {}), "/_api/logs/stream")).rejects.toThrow("use HTTP");
    await expect(call(() => undefined, "/_api/health")).rejects.toThrow("sent no reply");
    await expect(call(() => undefined, "/api/orders")).rejects.toThrow("'/api/orders' is not a path of the management API");
  });
});
