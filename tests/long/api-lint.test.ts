// The OpenAPI document has no findings of Redocly. Spectral is not a dependency: `npm run api:lint` runs both.
import { expect, it } from "vitest";
import { lint } from "../../scripts/api-lint/lint.mjs";

it("Redocly finds nothing in the OpenAPI document of a runtime with webhooks", async () => {
  const { isClean, output } = await lint("redocly");
  expect(isClean ? "" : output).toBe("");
});
