import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { misnamedVariables, readConfiguration, settingDescriptions, SettingsError, settingsReference } from "./config.ts";

describe("settings", () => {
  it("has defaults, but no default token", () => {
    const { settings } = readConfiguration({}, {});
    expect(settings).toMatchObject({
      port: 8080,
      host: "127.0.0.1",
      dataDir: "./sluice-data",
      deployToken: undefined,
      maxBody: 10_485_760,
      runHistory: 250,
      runHistoryTotal: 20_000,
      testSessions: "on",
      watch: false,
      maxStreamClients: 100,
    });
    expect(Object.isFrozen(settings)).toBe(true);
  });

  it("reads variables, prefers flags, and ignores blank variables", () => {
    const { settings } = readConfiguration(
      { port: "9000" },
      { SERVICE_PORT: "7000", SERVICE_MAX_BODY: "64k", SERVICE_DRAIN_MS: "1m30s", SERVICE_WATCH: "true", SERVICE_HOST: " ", SERVICE_TEST_SESSIONS: "Isolated" },
    );
    expect(settings).toMatchObject({ port: 9000, maxBody: 65_536, drainMs: 90_000, watch: true, host: "127.0.0.1", testSessions: "isolated" });
  });

  it("reports all problems at once, with names and without secrets", () => {
    const read = (): unknown => readConfiguration({ port: "70000" }, { SERVICE_MAX_BODY: "lots", SERVICE_LOG_LEVEL: "loud", SERVICE_DEPLOY_TOKEN: "S3CR3T" });
    expect(read).toThrow(SettingsError);
    try {
      read();
    } catch (error) {
      expect((error as SettingsError).messages).toEqual([
        "--port: must be between 0 and 65535",
        "SERVICE_LOG_LEVEL: expected one of trace, debug, info, warn, error, got 'loud'",
        "SERVICE_MAX_BODY: expected a size such as 65536, 64k or 10MiB, got 'lots'",
      ]);
    }
  });

  it("rejects negative durations", () => {
    expect(() => readConfiguration({ drainMs: "-5" }, { SERVICE_RUN_MS: "-1" })).toThrow(
      new SettingsError(["--drain-ms: expected a duration of 0 or more, got '-5'", "SERVICE_RUN_MS: expected a duration of 0 or more, got '-1'"]),
    );
    expect(readConfiguration({ drainMs: "0" }, {}).settings.drainMs).toBe(0);
  });

  it("distinguishes misspelled settings from other variables", () => {
    const environment = { SERVICE_PROT: "1", SERVICE_LOGLEVEL: "debug", SERVICE_PORT: "0", SERVICE_NAME: "orders", SERVICE_PORT_8080_TCP: "x", HOME: "/" };
    expect(misnamedVariables(environment)).toEqual([
      "Unknown setting SERVICE_PROT (did you mean SERVICE_PORT?)",
      "Unknown setting SERVICE_LOGLEVEL (did you mean SERVICE_LOG_LEVEL?)",
    ]);
  });

  it("keeps a snapshot of the environment", () => {
    const environment: Record<string, string> = { A: "1" };
    const configuration = readConfiguration({}, environment);
    environment["A"] = "2";
    expect(configuration.environment["A"]).toBe("1");
  });

  it("has no flags for secrets", () => {
    expect(settingDescriptions.find(({ name }) => name === "deployToken")).toMatchObject({ flag: undefined, variable: "SERVICE_DEPLOY_TOKEN" });
  });

  it("the reference page is up to date", () => {
    expect(readFileSync(new URL("../../../docs/reference/settings.md", import.meta.url), "utf8")).toBe(settingsReference());
  });
});
