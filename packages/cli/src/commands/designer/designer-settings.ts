import type { Target } from "@sluice/designer/server";
import { SettingsError } from "@sluice/server/config";
import { designerFolder } from "../../command/package-files.ts";

export interface DesignerSettings {
  readonly port: number;
  readonly host: string;
  readonly workspace: string;
  readonly password: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly targets: readonly Target[];
  readonly appFolder: string;
}

/** Reads the settings of the designer from the environment; throws a SettingsError if one is invalid. */
export function readDesignerSettings(environment: Readonly<Record<string, string | undefined>>, runtimeUrl: string): DesignerSettings {
  const variable = (name: string): string | undefined => (environment[name]?.trim() === "" ? undefined : environment[name]?.trim());
  const port = variable("DESIGNER_PORT") ?? "8090";
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new SettingsError([`DESIGNER_PORT: expected a port number, got '${port}'`]);
  const baseUrl = variable("DESIGNER_RUNTIME_URL") ?? runtimeUrl;
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new SettingsError([`DESIGNER_RUNTIME_URL: expected an address such as http://127.0.0.1:8080, got '${baseUrl}'`]);
  return {
    port: Number(port),
    host: variable("DESIGNER_HOST") ?? "127.0.0.1",
    workspace: variable("DESIGNER_WORKSPACE") ?? "./workspace",
    password: variable("DESIGNER_PASSWORD"),
    trustedProxies: (variable("DESIGNER_TRUSTED_PROXIES") ?? "").split(/[\s,]+/).filter((entry) => entry !== ""),
    targets: [{ name: variable("DESIGNER_TARGET") ?? "local", baseUrl, tokenEnv: "SERVICE_DEPLOY_TOKEN" }],
    appFolder: designerFolder(),
  };
}
