import { faultsOf } from "@sluice/testkit";
import { expect, it } from "vitest";

it("requires a known type", () => {
  expect(faultsOf("- throwException: {message: no}").join()).toContain("exceptionType");
  expect(faultsOf("- throwException: {exceptionType: com.acme.Nothing, message: no}").join()).toContain("com.acme.Nothing");
});
