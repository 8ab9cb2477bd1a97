// The exports of the bundle: the command for `bin/sluice.cjs`, the library for `index.mjs`. Each is initialized only when it is used.
export * from "./index.ts";

export const runCommand = (): Promise<unknown> => import("./main.ts");
