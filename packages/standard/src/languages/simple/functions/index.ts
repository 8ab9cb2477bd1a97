// All functions of the language by name: with parentheses, as a plain word, and after a prefix.
import { collectionFunctions } from "./collection-functions.ts";
import { conditionFunctions } from "./condition-functions.ts";
import { documentFunctions, documentWords } from "./document-functions.ts";
import { exchangeFunctions, exchangeWords } from "./exchange-functions.ts";
import { numberFunctions } from "./number-functions.ts";
import { settingFunctions, settingWords } from "./setting-functions.ts";
import { textFunctions } from "./text-functions.ts";

export { prefixes } from "./setting-functions.ts";
export const functions = {
  ...textFunctions,
  ...numberFunctions,
  ...collectionFunctions,
  ...conditionFunctions,
  ...documentFunctions,
  ...exchangeFunctions,
  ...settingFunctions,
};
export const words = { ...exchangeWords, ...documentWords, ...settingWords };
