// Tarball checks that publint does not cover: all dependencies can be installed, required files are included, and test files are not.

/** `names`: the publishable packages of this repository. */
export function manifestProblems(manifest, files, names) {
  const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies });
  const unpublished = dependencies.filter((name) => name.startsWith("@sluice/") && !names.has(name));
  const required = ["README.md", "LICENSE", "package.json", ...(manifest.name === "sluice" ? ["THIRD-PARTY-LICENSES.md", "dist/page/index.html"] : [])];
  const missing = required.filter((name) => !files.includes(name));
  const unwanted = files.filter((path) => /\.test\.|test-support|\.tsbuildinfo$/.test(path));
  return [
    ...unpublished.map((name) => `dependency '${name}' is not published: bundle it, or remove "private" from its package.json`),
    ...missing.map((name) => `'${name}' is missing from the tarball`),
    ...unwanted.map((path) => `'${path}' does not belong in the tarball: exclude it under "files" in package.json`),
  ];
}
