// Kamelets in the body of a dry run or a validation, which will be installed together with the checked document.
import { z } from "zod";
import { isFlowId } from "../flows/flow-id.ts";
import { invalidId } from "../service-error.ts";

const maxTexts = 200;

export const kameletTexts = z
  .record(z.string(), z.string())
  .refine((texts) => Object.keys(texts).length <= maxTexts, `must not have more than ${maxTexts} members`)
  .optional()
  .describe("Only for a dry run or a validation: the YAML of Kamelets that will be installed too, by name. The document is checked with them.");

export function kameletTextsByName(texts: z.infer<typeof kameletTexts> = {}): ReadonlyMap<string, string> {
  for (const name of Object.keys(texts)) if (!isFlowId(name)) throw invalidId(name);
  return new Map(Object.entries(texts));
}
