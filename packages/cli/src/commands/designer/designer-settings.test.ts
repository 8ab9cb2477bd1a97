import { expect, it } from "vitest";
import { SettingsError } from "@sluice/server/config";
import { readDesignerSettings } from "./designer-settings.ts";

it("uses the runtime's address by default", () => {
  expect(readDesignerSettings({}, "http://127.0.0.1:8080")).toMatchObject({ port: 8090, targets: [{ name: "local", baseUrl: "http://127.0.0.1:8080" }] });
});

it.each([
  [{ DESIGNER_PORT: "abc" }, "DESIGNER_PORT: expected a port number, got 'abc'"],
  [{ DESIGNER_PORT: "70000" }, "DESIGNER_PORT: expected a port number, got '70000'"],
  [{ DESIGNER_RUNTIME_URL: "runtime:8080" }, "DESIGNER_RUNTIME_URL: expected an address such as http://127.0.0.1:8080, got 'runtime:8080'"],
  [{ DESIGNER_RUNTIME_URL: "http://" }, "DESIGNER_RUNTIME_URL: expected an address such as http://127.0.0.1:8080, got 'http://'"],
])("rejects %j", (environment, problem) => {
  expect(() => readDesignerSettings(environment, "http://127.0.0.1:8080")).toThrow(new SettingsError([problem]));
});
