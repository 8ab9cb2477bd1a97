// Templates for new flows. They use only standard Camel syntax, so that other Camel tools can open the files.
import { readTree } from "@sluice/model";
import { strings } from "../strings.ts";

export interface Template {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  /** Missing for pasted text. */
  text?(route: RouteHead): string;
}

interface RouteHead {
  readonly id: string;
  readonly name: string;
  readonly category: string;
}

const { templates: labels } = strings;

/** Formats text as a YAML scalar: plain if it parses back to the same text, otherwise quoted. */
function scalar(text: string): string {
  const { tree } = readTree(`a: ${text}\n`);
  const value = tree?.type === "map" ? tree.entries[0]?.value : undefined;
  const isPlain =
    tree?.type === "map" &&
    tree.entries.length === 1 &&
    value?.type === "scalar" &&
    value.text === text &&
    !/^["'[{>|*&!%@`]/.test(text) &&
    !/[\r\n#]/.test(text);
  return isPlain ? text : JSON.stringify(text);
}

function head({ id, name, category }: RouteHead): string {
  return `- route:
    id: ${id}
    description: ${scalar(name)}
    group: ${scalar(category)}
`;
}

export const templates: readonly Template[] = [
  {
    id: "webhook",
    ...labels.webhook,
    text: (route) => `${head(route)}    from:
      uri: platform-http:/api/${route.id}
      steps:
        - log:
            id: log-body
            message: "\${body}"
        - setBody:
            id: reply
            constant: ok
`,
  },
  {
    id: "timer",
    ...labels.timer,
    text: (route) => `${head(route)}    from:
      uri: timer:${route.id}
      parameters:
        period: 10s
      steps:
        - setBody:
            id: make-message
            simple: "tick at \${date:now:HH:mm:ss}"
        - log:
            id: log-body
            message: "\${body}"
`,
  },
  {
    id: "direct",
    ...labels.direct,
    text: (route) => `${head(route)}    from:
      uri: direct:${route.id}
      steps:
        - log:
            id: log-body
            message: "\${body}"
`,
  },
  {
    id: "file-pair",
    ...labels.filePair,
    text: (route) => `${head(route)}    from:
      uri: file:inbox
      parameters:
        move: .done
      steps:
        - log:
            id: log-name
            message: "\${header.CamelFileName}"
        - to:
            id: write-file
            uri: file:outbox
`,
  },
  {
    id: "http-to-http",
    ...labels.httpToHttp,
    text: (route) => `${head(route)}    from:
      uri: platform-http:/api/${route.id}
      steps:
        - removeHeaders:
            id: drop-request-headers
            pattern: CamelHttp*
        - setHeader:
            id: set-method
            name: CamelHttpMethod
            constant: POST
        - to:
            id: call-target
            uri: "{{${route.id}.url:https://example.com/orders}}"
`,
  },
  { id: "paste", ...labels.paste },
];
