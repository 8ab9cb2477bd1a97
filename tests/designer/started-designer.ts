// A designer with a workspace of its own, and what a test needs to look into it.
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDesigner, type DesignerOptions, type RunningDesigner } from "@sluice/designer/server";

export const token = "T0ken-that-no-page-may-see";

export interface StartedDesigner extends RunningDesigner {
  flowText(id: string): string;
  writeFlow(id: string, text: string): void;
  /** Every file of the workspace and of the folder around it, by path. */
  files(): readonly string[];
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<{ status: number; json: any; headers: Headers }>;
  end(): Promise<void>;
}

export async function startTestDesigner(runtimeUrl: string, options: Partial<DesignerOptions> = {}): Promise<StartedDesigner> {
  const around = mkdtempSync(join(tmpdir(), "sluice-designer-"));
  const workspace = join(around, "workspace");
  // A workspace that exists gets no sample flow.
  mkdirSync(join(workspace, "flows"), { recursive: true });
  const designer = await startDesigner({
    port: 0,
    workspace,
    targets: [{ name: "local", baseUrl: runtimeUrl, tokenEnv: "TEST_TOKEN" }],
    environment: { TEST_TOKEN: token },
    ...options,
  });
  return {
    ...designer,
    flowText: (id) => readFileSync(join(workspace, "flows", `${id}.yaml`), "utf8"),
    writeFlow: (id, text) => writeFileSync(join(workspace, "flows", `${id}.yaml`), text),
    files: () => walk(around, ""),
    async call(method, path, body, headers = {}) {
      const reply = await fetch(designer.url + path, {
        method,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await reply.text();
      return { status: reply.status, headers: reply.headers, json: parse(text) };
    },
    async end() {
      await designer.close();
      rmSync(around, { recursive: true, force: true });
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function walk(folder: string, prefix: string): string[] {
  return readdirSync(join(folder, prefix)).flatMap((name) => {
    const path = prefix === "" ? name : `${prefix}/${name}`;
    return statSync(join(folder, path)).isDirectory() ? walk(folder, path) : [path];
  });
}

export const webhookFlow = (id: string, text = "ok"): string => `# kept as it is
- route:
    id: ${id}
    description: Orders to ERP
    group: data-sync
    from:
      uri: platform-http:/api/${id}
      steps:
        - setBody:
            constant: ${text}
`;
