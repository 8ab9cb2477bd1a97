// Values for `{{name}}` from the `application.properties` files of a project: in the folder of the flow and the folders above it, up
// to the project root. The nearest file wins, and in one folder `application-<profile>.properties` wins over the plain file.
import { existsSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, parse, resolve } from "node:path";
import { parseProperties, placeholderNames, withProfile } from "@sluice/model";
import { looksSecret, variableOf } from "@sluice/server/config";
import type { Params } from "./flow-params.ts";
import { readText } from "./yaml-files.ts";

export interface ProjectProperties {
  /** The values a flow uses, as parameters of a deployment; values whose name suggests a secret are marked as such. */
  paramsFor(flowPath: string, text: string): Promise<Params>;
  /** The folders of the files that were read, to be watched. */
  readonly folders: readonly string[];
}

export interface ProjectPropertiesOptions {
  readonly profile: string | undefined;
  /** Variables that override properties, as in the runtime: `erp.url` is overridden by `ERP_URL`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Each file is read at most once; call this function again after files have changed. */
export function readProjectProperties({ profile, environment }: ProjectPropertiesOptions): ProjectProperties {
  const cache = new Map<string, Promise<ReadonlyMap<string, string>>>();
  const folders = new Set<string>();
  const noProperties: ReadonlyMap<string, string> = new Map();

  async function entriesOf(path: string): Promise<ReadonlyMap<string, string>> {
    if (!existsSync(path)) return noProperties;
    folders.add(dirname(path));
    return parseProperties(await readText(path));
  }

  async function propertiesOf(folder: string): Promise<ReadonlyMap<string, string>> {
    const inherited = isProjectRoot(folder) ? noProperties : await cachedProperties(dirname(folder));
    const plain = await entriesOf(join(folder, "application.properties"));
    const activeProfile = profile ?? plain.get("camel.main.profile");
    const profileProperties = activeProfile === undefined ? noProperties : await entriesOf(join(folder, `application-${activeProfile}.properties`));
    const defined = withProfile(plain, profileProperties, activeProfile);
    return defined.size === 0 ? inherited : new Map([...inherited, ...defined]);
  }

  function cachedProperties(folder: string): Promise<ReadonlyMap<string, string>> {
    let properties = cache.get(folder);
    if (properties === undefined) cache.set(folder, (properties = propertiesOf(folder)));
    return properties;
  }

  return {
    async paramsFor(flowPath, text) {
      const folder = dirname(resolve(flowPath));
      const properties = await cachedProperties(folder);
      const params: Record<string, unknown> = {};
      const names = new Set([...placeholderNames(text), ...[...properties.keys()].filter((name) => isCamelSettingFor(name, text))]);
      for (const name of names) {
        const value = properties.get(name);
        if (value === undefined || environment[variableOf(name)] !== undefined) continue;
        params[name] = looksSecret(name) ? { value, secret: true } : value;
        for (const inner of placeholderNames(value)) names.add(inner);
      }
      return params;
    },
    get folders() {
      return [...folders];
    },
  };
}

/** Whether a property is an option of a connector or bean that the flow uses: `camel.component.<scheme>.*`, `camel.beans.<name>`. */
function isCamelSettingFor(name: string, text: string): boolean {
  const [, schemeOrBean] = /^camel\.(?:component|beans)\.([^.[]+)/.exec(name) ?? [];
  return schemeOrBean !== undefined && text.includes(schemeOrBean);
}

const rootMarkers = [".git", "package.json", "pom.xml", "build.gradle"];

/**
 * Whether the search ends at this folder. Folders that are not part of a project are never read: other users may write to the folder for
 * temporary files, and the home folder belongs to no project.
 */
export function isProjectRoot(folder: string): boolean {
  const parent = dirname(folder);
  return (
    parent === folder ||
    parent === parse(parent).root ||
    parent === homedir() ||
    parent === resolve(tmpdir()) ||
    rootMarkers.some((name) => existsSync(join(folder, name)))
  );
}
