// The library, from the same file as the command.
import bundle from "./bin/bundle.cjs";

if (!bundle.isCurrent()) throw new Error("the bundle of this checkout is out of date: run `npm run build`");

export const { createSluice, SluiceError } = bundle.loadBundle().exports;
