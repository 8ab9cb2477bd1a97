import type { Target } from "@sluice/designer/server";

export interface DesignerSettings {
  readonly port: number;
  readonly host: string;
  readonly workspace: string;
  readonly password: string | undefined;
  readonly targets: readonly Target[];
}

/** The designer's settings from the environment; throws with a sentence for what is not understood. */
export function readDesignerSettings(environment: Readonly<Record<string, string | undefined>>, runtimeUrl: string): DesignerSettings {
  const given = (name: string): string | undefined => (environment[name]?.trim() === "" ? undefined : environment[name]?.trim());
  const port = given("DESIGNER_PORT") ?? "8090";
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Error(`DESIGNER_PORT must be a port number, not '${port}'.`);
  return {
    port: Number(port),
    host: given("DESIGNER_HOST") ?? "127.0.0.1",
    workspace: given("DESIGNER_WORKSPACE") ?? "./workspace",
    password: given("DESIGNER_PASSWORD"),
    targets: [{ name: given("DESIGNER_TARGET") ?? "local", baseUrl: given("DESIGNER_RUNTIME_URL") ?? runtimeUrl, tokenEnv: "SERVICE_DEPLOY_TOKEN" }],
  };
}
