import { kameletFolders } from "@sluice/server/check";
import { kameletPlaces } from "../../files/kamelet-places.ts";

/** The fix for a flow that the runtime rejects because it has no such Kamelet; undefined for other errors. */
export function missingKameletFix(refusal: string, flowPath: string): string | undefined {
  const name = /unknown route template or Kamelet '([^']+)'/.exec(refusal)?.[1];
  if (name === undefined) return undefined;
  const own = kameletFolders(kameletPlaces([flowPath])).find(name)?.file;
  const file = own === undefined ? `${name}.kamelet.yaml` : `'${own}'`;
  return `the runtime has no Kamelet '${name}', and \`sluice deploy\` does not send Kamelets: copy ${file} to the folder 'kamelets' of its data directory or to a folder of its SERVICE_KAMELETS, then deploy again`;
}
