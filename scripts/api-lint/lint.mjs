// Lints the OpenAPI document of a runtime that serves webhooks of every kind, with the recommended rules of Redocly and Spectral.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openApi } from "../docs/open-api.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const redocly = join(dirname(createRequire(import.meta.url).resolve("@redocly/cli/package.json")), "bin/cli.js");

const route = (id, from) => `- route:\n    id: ${id}\n    from:\n      uri: ${from}\n      steps:\n        - setBody: {constant: ok}\n`;
const flows = {
  plain: route("plain", "webhook"),
  later: route("later", "webhook?async=true"),
  durable: route("durable", "webhook?durable=true"),
  paths: route("paths", "platform-http:/orders/{id}?matchOnUriPrefix=true"),
  guarded: route("guarded", "webhook?httpMethodRestrict=GET,POST"),
};
const policies = {
  guarded: { authenticate: [{ type: "apiKey", keys: [{ id: "shop", key: "a-secret-key-1", roles: ["shop"] }] }], rules: [{ roles: ["shop"] }] },
};

/**
 * Returns the output of a linter, its standard error alone, and whether it found nothing. Spectral is downloaded when it is called: it has 240 dependencies,
 * one of which runs a script when it is installed.
 */
export async function lint(linter) {
  const temporary = mkdtempSync(join(tmpdir(), "sluice-api-lint-"));
  const file = join(temporary, "openapi.json");
  try {
    writeFileSync(file, JSON.stringify(await openApi({ flows, policies }), undefined, 1));
    const { isClean, call } = linters[linter];
    const [command, ...parameters] = call(file);
    // On Windows, npx is a batch file, which only a shell starts; a shell splits parameters at spaces.
    const shell = process.platform === "win32" && command === "npx";
    const { error, status, stdout, stderr } = spawnSync(command, shell ? parameters.map((parameter) => `"${parameter}"`) : parameters, {
      encoding: "utf8",
      shell,
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    });
    if (error !== undefined) throw error;
    return { isClean: status === 0 && isClean(stdout), output: `${stdout}${stderr}`, stderr };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

const linters = {
  redocly: {
    call: (file) => [process.execPath, redocly, "lint", file, "--config", join(folder, "redocly.yaml"), "--format", "json"],
    // It succeeds with warnings.
    isClean: (output) => JSON.parse(output).problems.length === 0,
  },
  spectral: {
    call: (file) => [
      ...["npx", "--yes", "--ignore-scripts", "@stoplight/spectral-cli@6.16.3"],
      ...["lint", file, "--ruleset", join(folder, "spectral.yaml"), "--fail-severity", "hint"],
    ],
    isClean: (output) => output.includes("No results with a severity of 'hint' or higher found!"),
  },
};
