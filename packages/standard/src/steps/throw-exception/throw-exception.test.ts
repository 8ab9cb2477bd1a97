import { diagnosticsOf } from "@sluice/testkit";
import { expect, it } from "vitest";

it("requires a known type", () => {
  expect(diagnosticsOf("- throwException: {message: no}").join()).toContain("exceptionType");
  expect(diagnosticsOf("- throwException: {exceptionType: com.acme.Nothing, message: no}").join()).toContain("com.acme.Nothing");
});
