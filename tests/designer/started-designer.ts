// A designer with its own workspace, and helpers for tests.
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startDesigner, type DesignerOptions, type RunningDesigner } from "@sluice/designer/server";

export const token = "T0ken-that-no-page-may-see";

export interface StartedDesigner extends RunningDesigner {
  flowText(id: string): string;
  writeFlow(id: string, text: string): void;
  /** All files of the workspace and of its parent folder, by path. */
  files(): readonly string[];
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<{ status: number; json: any; headers: Headers }>;
  end(): Promise<void>;
}

interface TestDesignerOptions extends Partial<Omit<DesignerOptions, "port">> {
  /** Files of the workspace that exist before the start, by path. */
  readonly stored?: Readonly<Record<string, string>>;
}

export async function startTestDesigner(runtimeUrl: string, { stored = {}, ...options }: TestDesignerOptions = {}): Promise<StartedDesigner> {
  const parentFolder = mkdtempSync(join(tmpdir(), "sluice-designer-"));
  const workspace = join(parentFolder, "workspace");
  // An existing workspace gets no sample flow.
  mkdirSync(join(workspace, "flows"), { recursive: true });
  for (const [path, text] of Object.entries(stored)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  const designer = await startOnUsualPort({
    workspace,
    targets: [{ name: "local", baseUrl: runtimeUrl, tokenEnv: "SLUICE_TEST_TOKEN" }],
    environment: { SLUICE_TEST_TOKEN: token },
    ...options,
  });
  return {
    ...designer,
    flowText: (id) => readFileSync(join(workspace, "flows", `${id}.yaml`), "utf8"),
    writeFlow: (id, text) => writeFileSync(join(workspace, "flows", `${id}.yaml`), text),
    files: () => walk(parentFolder, ""),
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
      rmSync(parentFolder, { recursive: true, force: true });
    },
  };
}

/** The port of the first designer of this process. The next ones use it too: the browser then finds their scripts in its cache. */
let usualPort = 0;

async function startOnUsualPort(options: Omit<DesignerOptions, "port">): Promise<RunningDesigner> {
  try {
    const designer = await startDesigner({ ...options, port: usualPort });
    if (usualPort === 0) usualPort = Number(new URL(designer.url).port);
    return designer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return startDesigner({ ...options, port: 0 });
  }
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
