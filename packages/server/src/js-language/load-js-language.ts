import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { LanguageDeclaration } from "@sluice/engine";
import { jsLanguage, loadInterpreter, runScript } from "@sluice/standard";
import type { QuickJSSyncVariant } from "quickjs-emscripten-core";
import { scriptThreads } from "./script-threads.ts";

declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object> };

/** Loads the sandboxed JavaScript language with its interpreter; called only if the language is enabled. */
export async function loadJsLanguage(): Promise<LanguageDeclaration> {
  const file = createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm");
  const [core, variant, wasm] = await Promise.all([
    import("quickjs-emscripten-core"),
    import("@jitl/quickjs-wasmfile-release-sync"),
    readFile(file).then((bytes) => WebAssembly.compile(bytes)),
  ]);
  // In the CommonJS form, which the bundled command loads, the variant is nested one level deeper.
  const exported = variant.default as unknown as QuickJSSyncVariant & { readonly default?: QuickJSSyncVariant };
  const interpreter = await loadInterpreter({ core, variant: exported.default ?? exported, wasm }, runScript);
  return jsLanguage(interpreter, {}, scriptThreads(wasm));
}
