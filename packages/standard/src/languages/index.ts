import type { LanguageDeclaration } from "@sluice/engine/spi";
import { constant } from "./constant/constant.ts";
import { csimple } from "./csimple/csimple.ts";
import { exchangeProperty } from "./exchange-property/exchange-property.ts";
import { groovy } from "./groovy/groovy.ts";
import { header } from "./header/header.ts";
import { jq } from "./jq/jq.ts";
import { jsonata } from "./jsonata/jsonata.ts";
import { jsonpath } from "./jsonpath/jsonpath.ts";
import { language } from "./language/language.ts";
import { method } from "./method/method.ts";
import { simple } from "./simple/simple.ts";
import { tokenize } from "./tokenize/tokenize.ts";
import { variable } from "./variable/variable.ts";
import { xpath } from "./xpath/xpath.ts";
import { xquery } from "./xquery/xquery.ts";
import { xtokenize } from "./xtokenize/xtokenize.ts";

/** Every language of the standard set. */
export const languages: readonly LanguageDeclaration[] = [
  simple,
  constant,
  header,
  exchangeProperty,
  variable,
  language,
  xpath,
  xquery,
  jsonpath,
  jq,
  tokenize,
  xtokenize,
  jsonata,
  groovy,
  method,
  csimple,
];
