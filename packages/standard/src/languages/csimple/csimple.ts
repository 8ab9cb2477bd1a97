import { defineLanguage } from "@sluice/engine/spi";
import { simple } from "../simple/simple.ts";

/** Camel's compiled Simple. Simple is always compiled here, so it is the same language under another name. */
export const csimple = defineLanguage({
  ...simple,
  name: "csimple",
  title: "Compiled Simple",
  summary: "Same as simple; in Camel, the compiled form of Simple.",
  examples: [
    {
      title: "Text with functions in it",
      yaml: '- setBody:\n    csimple: "Hello ${body}"',
      given: { body: "Ann" },
      expect: { body: "Hello Ann" },
    },
  ],
});
