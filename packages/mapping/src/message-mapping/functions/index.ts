import { dateFunctions } from "./date-functions.ts";
import type { LanguageFunctions } from "./language-function.ts";
import { listFunctions } from "./list-functions.ts";
import { numberFunctions } from "./number-functions.ts";
import { textFunctions } from "./text-functions.ts";

/** Every function of the mapping language that depends on its arguments only. */
export const languageFunctions: LanguageFunctions = { ...textFunctions, ...numberFunctions, ...dateFunctions, ...listFunctions };
