// Text of fields that hold a secret.
export const secretStrings = {
  kept: (fingerprint: string | undefined) =>
    fingerprint === undefined ? "Stored. Kept unless you replace it." : `Stored, fingerprint ${fingerprint}. Kept unless you replace it.`,
  replace: (label: string) => `Replace ${label.toLowerCase()}`,
  replaceShort: "Replace",
  as: (label: string) => `${label} source`,
  sources: { value: "Value", env: "Environment variable", file: "File" },
};
