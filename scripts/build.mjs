// `npm run build`: compiles and bundles changed parts.
import { build } from "./prepare.mjs";

await build();
