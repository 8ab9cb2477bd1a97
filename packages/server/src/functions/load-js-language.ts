import type { LanguageDeclaration } from "@sluice/engine";
import { jsLanguage } from "@sluice/standard";
import type { QuickJSSyncVariant } from "quickjs-emscripten-core";
import { scriptThreads } from "./script-threads.ts";

/** The sandboxed JavaScript language; its interpreter is loaded only where an operator turned it on. */
export async function loadJsLanguage(): Promise<LanguageDeclaration> {
  const [{ newQuickJSWASMModuleFromVariant }, variant] = await Promise.all([import("quickjs-emscripten-core"), import("@jitl/quickjs-wasmfile-release-sync")]);
  // Its types describe the CommonJS form, where the variant stands one level deeper than it does here.
  return jsLanguage(await newQuickJSWASMModuleFromVariant(variant.default as unknown as QuickJSSyncVariant), {}, scriptThreads());
}
