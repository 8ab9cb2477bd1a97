import type { LanguageDeclaration } from "@sluice/engine/spi";
import { constant } from "./constant/constant.ts";
import { exchangeProperty } from "./exchange-property/exchange-property.ts";
import { header } from "./header/header.ts";
import { simple } from "./simple/simple.ts";
import { variable } from "./variable/variable.ts";

/** Every language of the standard set. */
export const languages: readonly LanguageDeclaration[] = [simple, constant, header, exchangeProperty, variable];
