// QuickJS, instantiated so that it can be replaced immediately. A trap or a V8 stack overflow leaves the interpreter's heap
// inconsistent: such an instance is never used again.
import type { QuickJSSyncVariant, QuickJSWASMModule } from "quickjs-emscripten-core";
import type { runScript, ScriptLimits, ScriptOutcome } from "./run-script.ts";

export interface ScriptInterpreter {
  /** Maximum call stack of a script: the size that fits into V8's stack, or its own limit if that is less. */
  readonly stackBytes: number;
  /** How many instances were replaced after a trap. */
  readonly replaced: number;
  readonly memoryBytes: number;
  run(code: string, globals: string | undefined, limits: ScriptLimits, now: () => number): ScriptOutcome;
}

export interface InterpreterLibraries {
  /** The module `quickjs-emscripten-core`. */
  readonly core: { readonly QuickJSWASMModule: new (...parts: any[]) => QuickJSWASMModule };
  readonly variant: QuickJSSyncVariant;
  /** The compiled WebAssembly module of the variant. */
  readonly wasm: object;
}

declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (module: object, imports: object) => object;
};

/**
 * Loads the interpreter. A replacement is created synchronously: a new instance of the compiled module with memory restored to the state before the
 * first script. The function uses only its parameters, because threads are started from its source text.
 */
export async function loadInterpreter({ core, variant, wasm }: InterpreterLibraries, runIn: typeof runScript): Promise<ScriptInterpreter> {
  const unwrap = (loaded: any): any => loaded.default?.default ?? loaded.default ?? loaded;
  const memory = new WebAssembly.Memory({ initial: 256, maximum: 32_768 });
  let instantiate = (): void => {};
  const [loadGlue, Ffi] = await Promise.all([variant.importModuleLoader().then(unwrap), variant.importFFI()]);
  const glue = await loadGlue({
    wasmMemory: memory,
    // An abort is detected by the error it throws.
    printErr: () => {},
    instantiateWasm: (imports: object, receive: (instance: object) => void) => {
      instantiate = () => receive(new WebAssembly.Instance(wasm, imports));
      instantiate();
      return {};
    },
  });
  glue.type = "sync";
  const initial = new Uint8Array(memory.buffer);
  let used = initial.length;
  while (used > 0 && initial[used - 1] === 0) used--;
  const image = initial.slice(0, used);
  const createModule = (): QuickJSWASMModule => new core.QuickJSWASMModule(glue, new Ffi(glue));
  let replaced = 0;
  let current: QuickJSWASMModule | undefined = createModule();

  const replace = (): QuickJSWASMModule => {
    replaced++;
    new Uint8Array(memory.buffer).fill(0);
    instantiate();
    new Uint8Array(memory.buffer).set(image);
    return createModule();
  };
  const run: ScriptInterpreter["run"] = (code, globals, limits, now) => {
    const stackLimitBytes = Math.min(limits.stackLimitBytes, stackBytes);
    try {
      current ??= replace();
      return runIn(current, code, globals, { ...limits, stackLimitBytes }, now);
    } catch (error) {
      current = undefined;
      if (error instanceof RangeError) return { fault: "depth", detail: `${stackLimitBytes}` };
      return { fault: "failed", detail: `the interpreter stopped and was replaced: ${error instanceof Error ? error.message : String(error)}` };
    }
  };

  // How much of V8's stack an interpreter call needs depends on the processor and on V8's options, so it is measured. Rare kinds of recursion need
  // more of V8's stack and can still overflow it; the instance is then replaced.
  const probeLimits: ScriptLimits = { timeLimitMs: 1_000, memoryLimitBytes: 32 * 1024 * 1024, stackLimitBytes: 256 * 1024 };
  let stackBytes = probeLimits.stackLimitBytes;
  while (stackBytes > 16 * 1024) {
    run("const probe = () => probe() + 1; probe()", "{}", probeLimits, () => 0);
    if (current !== undefined) break;
    stackBytes -= stackBytes / 4;
  }
  current ??= replace();
  replaced = 0;
  return {
    get stackBytes() {
      return stackBytes;
    },
    get replaced() {
      return replaced;
    },
    get memoryBytes() {
      return memory.buffer.byteLength;
    },
    run,
  };
}
