// The `sluice` key of a plug-in's package.json: the contract version and the schemes, so that tools can list a package without running
// its code.
import { namesOf, type DeclaredParts } from "./declared-parts.ts";

/** The version of the plug-in contract. It changes only when plug-ins must be changed. */
const kit = "1";

interface ManifestFault {
  readonly fault: string;
  readonly fix: string;
}

/** Problems in the manifest, and differences from the module's exports. */
export function manifestFaults(manifest: unknown, { connectors }: Pick<DeclaredParts, "connectors">): readonly ManifestFault[] {
  const schemes = connectors.flatMap((connector) => namesOf("connectors", connector)).toSorted();
  const fix = `set "sluice": ${JSON.stringify({ kit, schemes })} in package.json`;
  if (typeof manifest !== "object" || manifest === null) return [{ fault: "package.json has no key 'sluice'", fix }];
  const { kit: required, schemes: listed = [] } = manifest as { readonly kit?: unknown; readonly schemes?: unknown };
  if (required !== kit)
    return [
      {
        fault: `it requires version '${String(required)}' of the plug-in contract, but this runtime supports '${kit}'`,
        fix: "install a version of the plug-in for this runtime",
      },
    ];
  const isSame =
    Array.isArray(listed) && listed.length === schemes.length && (listed as readonly string[]).toSorted().every((scheme, index) => scheme === schemes[index]);
  return isSame ? [] : [{ fault: `package.json lists the schemes ${JSON.stringify(listed)}, the module has ${JSON.stringify(schemes)}`, fix }];
}
