// Evaluates a script and sets the body to its result. The script is written in the flow or loaded from a file; message content is
// never evaluated.
import { CompileError, defineConnector, type ConnectorDeclaration, type Host, type LanguageDeclaration, type LanguageScope } from "@sluice/engine/spi";
import { compileResource } from "@sluice/engine/tools";
import { f } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";

/** The languages of the runtime, by name. */
export interface LanguageList {
  language(name: string): LanguageDeclaration | undefined;
}

const path = {
  languageName: f.string({ doc: "Name of the language.", required: true, examples: ["simple"] }),
  resourceUri: f.text({ doc: "The script, or `resource:classpath:name` for the text of a file.", required: true }),
};

const options = {
  ...sinkFields,
  transform: f.boolean({ doc: "Whether the result becomes the body; otherwise it is discarded.", default: true }),
  resultType: f.string({ doc: "Type of the result." }),
  allowContextMapAll: f.boolean({ doc: "Accepted but ignored.", default: false, group: "advanced" }),
  cacheScript: f.boolean({ doc: "Accepted but ignored: scripts are compiled once.", default: true, group: "advanced" }),
  contentCache: f.boolean({ doc: "Accepted but ignored.", default: true, group: "advanced" }),
};

export function languageConnector(list: LanguageList): ConnectorDeclaration {
  return defineConnector({
    scheme: "language",
    title: "Language",
    summary: "Evaluates a script in one of the supported languages and sets the body to its result.",
    guarantees: "The script is compiled once, when the flow is deployed, and runs on the same exchange. Message content is never evaluated.",
    group: "scripting",
    icon: "code",
    paletteGroup: "code",
    card: { title: "Run {languageName}", subtitle: "{resourceUri}" },
    since: "0.1",
    syntax: "language:languageName:resourceUri",
    roles: ["sink"],
    local: true,
    workers: "any",
    path,
    options,
    headers: {},
    examples: [{ title: "A greeting", yaml: "to: 'language:simple:Hello%20${body}'", given: { body: "Ada" }, expect: { body: "Hello Ada" } }],
    connect: (host: Host) => ({
      sink({ authored, options: { languageName, resourceUri, resultType, transform } }) {
        if (!authored) throw new CompileError("endpoint-refused", "part of its script came from the message, and the content of a message is never evaluated");
        const language = list.language(languageName);
        if (language === undefined)
          throw new CompileError("language-unknown", `unknown language '${languageName}'`, { hint: "see the language reference for all names" });
        const scope: LanguageScope = {
          host,
          route: { id: "", flowId: "", flowHash: "" },
          property: () => undefined,
          language: (name) => list.language(name),
          bean: (reference) => {
            throw new CompileError("bean-unknown", `bean '${reference}' cannot be used: a language endpoint cannot reference beans`);
          },
        };
        const type: Readonly<Record<string, string>> = resultType === undefined ? {} : { resultType };
        // Camel accepts a file name here with and without `resource:`.
        const script = /^(?:file|classpath):/.test(resourceUri) ? `resource:${resourceUri}` : resourceUri;
        const expression = compileResource(script, host, (text, isLoaded) => language.compile(text, isLoaded ? { ...type, trim: "false" } : type, scope));
        return {
          send(exchange) {
            const result = expression(exchange);
            if (transform) exchange.message.body = result;
          },
        };
      },
    }),
  });
}
