// Text of fields that hold a secret.
export const secretStrings = {
  stored: (fingerprint: string | undefined) =>
    fingerprint === undefined ? "Stored. Kept unless you replace it." : `Stored, fingerprint ${fingerprint}. Kept unless you replace it.`,
  replace: (label: string) => `Replace ${label.toLowerCase()}`,
  replaceShort: "Replace",
  source: (label: string) => `${label} source`,
  sources: { value: "Value", env: "Environment variable", file: "File" },
};
