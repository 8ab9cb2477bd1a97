import { Exchange, FlowError, Headers, Message, Run } from "@sluice/engine";
import { describe, expect, it } from "vitest";
import { createSecretValues } from "../masking/secret-values.ts";
import { BodyPreviewCache } from "./body-preview-cache.ts";
import { ExchangeDetailsCache } from "./exchange-details.ts";
import { detailLimits, TraceEvent } from "./trace-event.ts";

function written(
  body: unknown,
  errorMessage: string,
  recorded: "preview" | "full" = "preview",
): { readonly message: { body: string }; readonly error: { message: string } } {
  const secrets = createSecretValues();
  secrets.set("flow", ["top-secret"]);
  const run = new Run("run_1", { id: "a", flowId: "f", flowHash: "h" }, 0, { uri: "direct:a" });
  const exchange = new Exchange("e1", run, "InOut", new Message(body, new Headers()));
  const error = new FlowError("java.lang.Exception", errorMessage);
  const subject = { type: "run.failed" as const, exchange, step: undefined, mocked: false, durationMs: 1, error };
  const details = new ExchangeDetailsCache().of(exchange, secrets.asOfNow());
  const event = new TraceEvent(subject, 0, details, new BodyPreviewCache().preview(body, detailLimits[recorded]));
  return JSON.parse(event.write("1", "preview")) as ReturnType<typeof written>;
}

describe("a trace event", () => {
  it.each(["preview", "full"] as const)("masks a secret that truncation cuts off (recorded: %s)", (recorded) => {
    const text = `${"y".repeat(4_090)}top-secret and more`;
    expect(written(text, "x", recorded).message.body).toBe(`${"y".repeat(4_090)}***`);
    expect(JSON.stringify(written({ text: text.slice(30) }, "x", recorded))).not.toContain("top-");
    expect(written("", `${"y".repeat(1_995)}top-secret`).error.message).toBe(`${"y".repeat(1_995)}***`);
  });

  it("shows the beginning of a secret if nothing was truncated", () => {
    expect(written("top-se", "top-sec")).toMatchObject({ message: { body: "top-se" }, error: { message: "top-sec" } });
  });
});
