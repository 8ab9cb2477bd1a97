import type { Artifact } from "./artifacts.ts";

/**
 * The parameters that no artifact contains the name of: most likely misspelled. Only a warning, because a Kamelet of the runtime may use them; options of
 * connectors and beans (`camel.…`) are not named in a flow.
 */
export function unusedParams(params: Readonly<Record<string, string>>, artifacts: readonly Artifact[]): readonly string[] {
  const texts = artifacts.flatMap((artifact) => [
    artifact.text,
    ...(artifact.kind === "flow" ? [JSON.stringify(Object.values(artifact.body.params ?? {}))] : []),
  ]);
  return Object.keys(params).filter((name) => !name.startsWith("camel.") && !texts.some((text) => text.includes(name)));
}
