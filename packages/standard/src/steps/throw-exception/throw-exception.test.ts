import { faultsOf } from "@sluice/testkit";
import { expect, it } from "vitest";

it("needs a type, and one that is known", () => {
  expect(faultsOf("- throwException: {message: no}").join()).toContain("exceptionType");
  expect(faultsOf("- throwException: {exceptionType: com.acme.Nothing, message: no}").join()).toContain("com.acme.Nothing");
});
