// The OpenAPI document of a runtime with webhooks has no findings. Spectral is not a dependency: npm downloads it.
import { expect, it } from "vitest";
import { lint } from "../../scripts/api-lint/lint.mjs";
import { unreachableReason } from "../npm-install.ts";

it("Redocly finds nothing in the OpenAPI document of a runtime with webhooks", async () => {
  const { isClean, output } = await lint("redocly");
  expect(isClean ? "" : output).toBe("");
});

it("Spectral finds nothing in the OpenAPI document of a runtime with webhooks (needs the npm registry)", async ({ skip }) => {
  const { isClean, output, stderr } = await lint("spectral");
  // Findings are on standard output: a finding about a network is not mistaken for a missing one.
  const reason = isClean ? undefined : unreachableReason(stderr);
  if (reason !== undefined) return skip(reason);
  expect(isClean ? "" : output).toBe("");
});
