// Checks package-lock.json: does `npm ci` work on every supported platform, and does it run unapproved code?

interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  /** The hash of the tarball, which npm records only for a version that the registry has. */
  readonly integrity?: string;
  readonly link?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
export type LockedPackages = Readonly<Record<string, LockEntry>>;

interface Platform {
  readonly os: string;
  readonly cpu: string;
  readonly libc?: string;
}

const platforms: readonly Platform[] = [
  { os: "linux", cpu: "x64", libc: "glibc" },
  { os: "linux", cpu: "x64", libc: "musl" },
  { os: "linux", cpu: "arm64", libc: "glibc" },
  { os: "linux", cpu: "arm64", libc: "musl" },
  { os: "darwin", cpu: "x64" },
  { os: "darwin", cpu: "arm64" },
  { os: "win32", cpu: "x64" },
  { os: "win32", cpu: "arm64" },
];

const remedy =
  "Pin a version whose binaries are all in the registry, then write the lock file from scratch: " +
  "delete package-lock.json and node_modules and run `npm install --package-lock-only`.";

/**
 * Problems in the lock file; `allowed` maps names of packages with platform fields or install scripts, optionally ending in `*`, to a
 * reason.
 */
export function lockFileProblems(packages: LockedPackages, allowed: Readonly<Record<string, string>>): string[] {
  return [...missingPlatformPackages(packages), ...unexpectedPackages(packages, allowed), ...resolvedAddresses(packages)];
}

function missingPlatformPackages(packages: LockedPackages): string[] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const names = Object.keys(entry.optionalDependencies ?? {});
    const found = names.map((name) => ({ name, locked: resolve(packages, path, name) }));
    const missing = found.flatMap(({ name, locked }) => (locked === undefined && isForSupportedPlatform(name) ? [name] : []));
    const problems = missing.map((name) => `${path || "The root package"} needs the optional package ${name}, which package-lock.json lacks. ${remedy}`);
    problems.push(...found.flatMap(({ name, locked }) => (locked === undefined ? [] : entryProblems(name, entry.optionalDependencies?.[name], locked))));
    const binaries = found.flatMap(({ locked }) => (locked?.os !== undefined && locked.cpu !== undefined && locked.hasInstallScript !== true ? [locked] : []));
    if (binaries.length < 2 || missing.length > 0) return problems;
    const uncovered = platforms.filter((platform) => !binaries.some((binary) => supports(binary, platform)));
    return [...problems, ...uncovered.map((platform) => `${path} has no binary for ${Object.values(platform).join(" ")} in package-lock.json. ${remedy}`)];
  });
}

/** The registry must have had the binary in exactly the version that its package asks for. */
function entryProblems(name: string, specifier: string | undefined, { version, integrity, os }: LockEntry): readonly string[] {
  if (integrity === undefined) return [`${name} has no hash in package-lock.json, so the registry may not have ${version}. ${remedy}`];
  const isExact = /^\d+\.\d+\.\d+$/.test(specifier ?? "");
  return os !== undefined && isExact && specifier !== version ? [`${name} is locked in version ${version}, but its package needs ${specifier}. ${remedy}`] : [];
}

/** Resolves a dependency like Node: in the node_modules folder of the package itself, then of each parent folder. */
function resolve(packages: LockedPackages, from: string, name: string): LockEntry | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const entry = packages[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`];
    if (entry !== undefined || folder === "") return entry;
  }
}

/** Determined from the words in the package name; a name without an operating system is treated as supporting all platforms. */
function isForSupportedPlatform(name: string): boolean {
  const words = new Set(name.split(/[^a-z0-9]+/i));
  const hasAny = (options: readonly string[]): boolean => options.some((option) => words.has(option));
  if (hasAny(["android", "freebsd", "netbsd", "openbsd", "openharmony", "aix", "sunos", "wasm32", "wasi"])) return false;
  const isForOs = hasAny(["linux", "darwin", "macos", "win32", "windows"]);
  if (!isForOs) return true;
  return hasAny(["x64", "amd64", "arm64", "aarch64"]);
}

function supports(entry: LockEntry, platform: Platform): boolean {
  const accepts = (list: readonly string[] | undefined, value: string | undefined): boolean =>
    list === undefined || value === undefined || list.includes(value);
  return accepts(entry.os, platform.os) && accepts(entry.cpu, platform.cpu) && accepts(entry.libc, platform.libc);
}

function unexpectedPackages(packages: LockedPackages, allowed: Readonly<Record<string, string>>): string[] {
  const unused = new Set(Object.keys(allowed));
  const problems = Object.entries(packages).flatMap(([path, { os, cpu, hasInstallScript }]) => {
    if (os === undefined && cpu === undefined && hasInstallScript !== true) return [];
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const pattern = Object.keys(allowed).find((key) => (key.endsWith("*") ? name.startsWith(key.slice(0, -1)) : name === key));
    if (pattern !== undefined) {
      unused.delete(pattern);
      return [];
    }
    const what = hasInstallScript === true ? "runs a script when it is installed" : "supports only some platforms";
    return [`${name} ${what}. Choose another package, or add ${name} with a reason to the list in tests/lock-file.test.ts.`];
  });
  return [...problems, ...[...unused].map((pattern) => `No package matches ${pattern} anymore: remove it from the list in tests/lock-file.test.ts.`)];
}

function resolvedAddresses(packages: LockedPackages): string[] {
  return Object.entries(packages).flatMap(([path, { resolved, link }]) =>
    resolved === undefined || link === true
      ? []
      : [
          `${path} contains the address ${resolved}, which ties the lock file to one registry. Run \`npm install --package-lock-only --omit-lockfile-registry-resolved\`.`,
        ],
  );
}
