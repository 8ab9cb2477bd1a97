// Checks a Kamelet before it is installed: its form, its name, and that this runtime has every connector, step and bean it needs.
import type { KameletFiles, Prepared } from "@sluice/engine";
import { camelKind, readKamelet, type Diagnostic, type Kamelet } from "@sluice/model";
import { prepareFlow, type PrepareParts } from "../flows/installed-flows.ts";

export interface CheckedKamelet {
  /** The Kamelet prepared as a flow that defines only this template, with all its problems. */
  readonly prepared: Prepared;
  /** Undefined when the text is not a Kamelet. */
  readonly kamelet: Kamelet | undefined;
}

export async function checkKamelet(
  parts: PrepareParts,
  { name, text, hash, kamelets }: { readonly name: string | undefined; readonly text: string; readonly hash: string; readonly kamelets: KameletFiles },
): Promise<CheckedKamelet> {
  const { prepared } = await prepareFlow(parts, { id: name ?? "kamelet", source: text, hash, params: {}, kamelets });
  const { tree } = prepared;
  if (tree === undefined || prepared.diagnostics.some(({ code, severity }) => severity === "error" && code.startsWith("yaml-")))
    return { prepared, kamelet: undefined };
  const isKamelet = camelKind(tree) === "Kamelet";
  const kamelet = readKamelet(tree);
  const fault = (message: string, span = tree.span): Diagnostic => ({ code: "kamelet-invalid", severity: "error", message, path: "", span });
  // Otherwise the text would be parsed as a list of routes, and the problems would be misleading.
  if (!isKamelet)
    return {
      prepared: { ...prepared, diagnostics: [fault("this is not a Kamelet: it needs apiVersion: camel.apache.org/v1 and kind: Kamelet")] },
      kamelet: undefined,
    };
  if ("code" in kamelet) return { prepared, kamelet: undefined };
  if (name === undefined || kamelet.name === name) return { prepared, kamelet };
  const mismatch = fault(`the Kamelet is named '${kamelet.name}', not '${name}': change metadata.name, or install it as '${kamelet.name}'`);
  return { prepared: { ...prepared, diagnostics: [mismatch, ...prepared.diagnostics] }, kamelet: undefined };
}
