// Evaluates a script of the flow and puts its result into the body. The script is always the author's: what a message
// brings along is never evaluated.
import { CompileError, defineConnector, type ConnectorDeclaration, type Host, type LanguageDeclaration } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";

/** The languages of the runtime, by name. */
export interface LanguageList {
  language(name: string): LanguageDeclaration | undefined;
}

const path = {
  languageName: f.string({ doc: "Name of the language.", required: true, examples: ["simple"] }),
  resourceUri: f.text({ doc: "The script.", required: true }),
};

const options = {
  ...sinkFields,
  transform: f.boolean({ doc: "Whether the result becomes the body; otherwise it is discarded.", default: true }),
  resultType: f.string({ doc: "Type the result is converted to." }),
  allowContextMapAll: f.boolean({ doc: "Accepted for Camel routes.", default: false, group: "advanced" }),
  cacheScript: f.boolean({ doc: "Accepted for Camel routes; scripts are compiled once.", default: true, group: "advanced" }),
  contentCache: f.boolean({ doc: "Accepted for Camel routes.", default: true, group: "advanced" }),
};

export function languageConnector(list: LanguageList): ConnectorDeclaration {
  return defineConnector({
    scheme: "language",
    title: "Language",
    summary: "Evaluates a script in one of the languages and puts the result into the body.",
    group: "scripting",
    icon: "code",
    since: "0.1",
    syntax: "language:languageName:resourceUri",
    workers: "any",
    path,
    options,
    headers: {},
    examples: [{ title: "A greeting", yaml: "to: 'language:simple:Hello%20${body}'", given: { body: "Ada" }, expect: { body: "Hello Ada" } }],
    connect: (host: Host) => ({
      sink({ options: { languageName, resourceUri, resultType, transform } }) {
        const language = list.language(languageName);
        if (language === undefined) throw new CompileError("language-unknown", `unknown language '${languageName}'`);
        const expression = language.compile(resourceUri, resultType === undefined ? {} : { resultType }, {
          host,
          route: { id: "", flowId: "", flowHash: "" },
          property: () => undefined,
          language: (name) => list.language(name),
          bean: (reference) => {
            throw new CompileError("bean-unknown", `a language endpoint has no bean '${reference}'`);
          },
        });
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
