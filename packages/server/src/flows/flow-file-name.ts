// Maps flow ids to file names and back, one to one, so that no flow overwrites another or has another id after a restart.

/** Camel tools use the name `orders.camel.yaml` for the flow `orders`. Case-insensitive, like some file systems. */
const camel = /\.camel$/i;
const camelSuffix = ".camel";
const extensions = [".yaml", ".yml", `${camelSuffix}.yaml`] as const;

/** The id of the flow in a file; undefined for other files. */
export function flowIdOfFile(name: string): string | undefined {
  if (name.startsWith(".")) return undefined;
  if (name.endsWith(".yml")) return name.slice(0, -".yml".length);
  if (!name.endsWith(".yaml")) return undefined;
  const stem = name.slice(0, -".yaml".length);
  return camel.test(stem) ? stem.slice(0, -camelSuffix.length) : stem;
}

/** The file name of a new flow: `<id>.yaml`, or `<id>.camel.yaml` when `<id>.yaml` belongs to another id. */
export function fileNameOf(id: string): string {
  return camel.test(id) ? `${id}${camelSuffix}.yaml` : `${id}.yaml`;
}

/** All possible file names of this flow; the first existing one is used. */
export function fileNamesOf(id: string): readonly string[] {
  return inPreferenceOrder(extensions.map((extension) => id + extension).filter((name) => flowIdOfFile(name) === id));
}

/** Sorts names by preference, then by name. Each name is ranked once, because there may be ten thousand. */
export function inPreferenceOrder(names: readonly string[]): readonly string[] {
  const ranked: [string[], string[], string[]] = [[], [], []];
  for (const name of names.toSorted()) ranked[rank(name)].push(name);
  return ranked.flat();
}

function rank(name: string): 0 | 1 | 2 {
  if (name.endsWith(".yml")) return 1;
  return name === fileNameOf(flowIdOfFile(name) ?? "") ? 0 : 2;
}
