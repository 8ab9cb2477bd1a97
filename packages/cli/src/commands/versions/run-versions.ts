import { isOn, UsageError, type Call } from "../../command/declaration.ts";
import { connect } from "../../runtime/connection.ts";
import { colorDiff, versionDiff, versionsText } from "../../runtime/flow-versions.ts";

export async function run({ arguments: positionals, flags, terminal }: Call): Promise<number> {
  const { flow: id = "", revision } = positionals as Readonly<Record<string, string | undefined>>;
  if (revision === undefined && isOn(flags, "yaml")) throw new UsageError("--yaml needs a revision: `sluice versions <flow>` lists them");
  const connection = await connect(flags);
  const asJson = isOn(flags, "json");
  if (revision === undefined) {
    const response = await connection.call("GET /flows/:id/versions", { params: { id } });
    terminal.write(asJson ? JSON.stringify(response, undefined, 2) : versionsText(response.versions, terminal));
    return 0;
  }
  const version = await connection.call("GET /flows/:id/versions/:revision", { params: { id, revision } });
  if (isOn(flags, "yaml")) terminal.write(version.yaml);
  else {
    const diff = versionDiff(await connection.call("GET /flows/:id", { params: { id } }), version);
    if (asJson) terminal.write(JSON.stringify({ ...version, diff }, undefined, 2));
    else {
      terminal.write(versionsText([version], terminal));
      if (diff.length === 0) terminal.note("No differences from the current version");
      else terminal.write(colorDiff(diff, terminal.style));
    }
  }
  return 0;
}
