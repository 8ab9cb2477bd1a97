// Every language, format and step of the catalog as a route, with the bodies it must handle. A part of the catalog without a case fails the sweep,
// so that new parts are not forgotten.
import { fewNames, jsonNames, readableJsonNames, textNames, xmlNames, yamlNames, type InputName } from "./hostile-inputs.ts";

export interface MessageCase {
  /** `kind name`, as in `language jq`, with a suffix if there are several. */
  readonly name: string;
  readonly steps: readonly string[];
  readonly inputs: readonly InputName[];
}

const jsonAndText: readonly InputName[] = [...jsonNames, "commas", "oneLine"];
/** For code that works on parsed values: rejected JSON does not reach it. */
const valueNames: readonly InputName[] = [...readableJsonNames, "strings", "commas"];
const expression = (language: string, text: string): string => `{${language}: ${JSON.stringify(text)}}`;
const setBody = (language: string, text: string): string => `setBody: ${expression(language, text)}`;

const language = (name: string, inputs: readonly InputName[], ...expressions: readonly string[]): readonly MessageCase[] =>
  expressions.map((text) => ({ name: `language ${name} ${text}`, steps: [setBody(name, text)], inputs }));

const simple = (inputs: readonly InputName[], ...expressions: readonly string[]): readonly MessageCase[] => language("simple", inputs, ...expressions);

const languages: readonly MessageCase[] = [
  ...simple(jsonAndText, "${body.a}", "${body[0]}", "${body.a}${body.b}${body.c}", "${body.a} ${body.b} ${body.c} ${body.d}"),
  {
    name: "language simple as predicate",
    steps: ["convertBodyTo: {type: String}", 'filter: {simple: "${body.a} == 1", steps: [{log: x}]}'],
    inputs: jsonAndText,
  },
  {
    name: "language simple twice",
    steps: ["convertBodyTo: {type: String}", ...["a", "b", "c"].map((key) => `setHeader: {name: ${key}, simple: "\${body[${key}]}"}`)],
    inputs: jsonAndText,
  },
  ...simple(
    [...valueNames, "lines", "html"],
    "${bodyOneLine}",
    "${toJson(${body})}",
    "${toPrettyJsonBody}",
    "${prettyBody}",
    "${bodyAs(Map)}",
    "${bodyAs(List)}",
    "${body} == '1'",
  ),
  ...simple(
    [...textNames, "records"],
    "${uppercase()}",
    "${capitalize()}",
    "${normalizeWhitespace()}",
    "${trim()}",
    "${replace('a','bb')}",
    "${replace(',','')}",
    "${split(',')}",
    "${sort()}",
    "${distinct()}",
    "${reverse()}",
    "${shuffle()}",
    "${size()}",
    "${sum(${body})}",
    "${max(${body})}",
    "${join('-')}",
    "${base64Encode(${body})}",
    "${base64Decode(${body})}",
    "${hash(${body})}",
    "${hash(${body},MD5)}",
    "${hash(${body},SHA-512)}",
    "${isAlpha()}",
    "${isNumeric()}",
    "${forEach(${body},${uppercase()})}",
    "${filter(${body},${size()} > 1)}",
    "${contains(${body},'zz')}",
    "${substringBetween(${body},'x','y')}",
    "${body.replaceAll('(a|b)*c','x')}",
    "${body.split('[,a]')}",
    "${body.matches('(a*)*b')}",
    "${body} contains 'zz'",
    "${body} regex '^(a+)+$'",
    "${body} ~~ 'zz'",
    "${body} in 'a,b'",
    "${collate(3)}",
    "${skip(3)}",
    "${iif(${body} > 5,a,b)}",
    "${unquote()}",
    "${safeQuote()}",
    "${logExchange}",
  ),
  ...simple([...textNames, ...xmlNames], "${htmlClean(${body})}", "${htmlDecode(${body})}", "${htmlParse(${body})}"),
  ...simple(xmlNames, "${prettyBody}", "${xpath(//b)}"),
  ...simple(jsonNames, "${jsonpath($.a)}", "${jq(.a)}", "${simpleJsonpath($.a)}"),
  ...language("csimple", fewNames, "${body}", "${body.a}"),
  ...language("groovy", valueNames, "body", "body.size()", "body.toUpperCase()", "body.split(',').length"),
  ...language("constant", fewNames, "x"),
  ...language("header", fewNames, "x"),
  ...language("exchangeProperty", fewNames, "x"),
  ...language("variable", fewNames, "x"),
  { name: "language language", steps: ['setBody: {language: {language: simple, expression: "${body.a}"}}'], inputs: fewNames },
  ...language("jsonpath", jsonAndText, "$.a"),
  ...language("jsonpath", valueNames, "$..a", "$[?(@.id > 1)]", "$[*]", "$..*", "$.length()", "$[?(@.name =~ /(n+)+x/)]"),
  ...language("jq", jsonAndText, ".a"),
  ...language(
    "jq",
    valueNames,
    ".[]",
    "sort",
    "map(.)",
    "tostring",
    "[..]",
    "unique",
    "group_by(.)",
    "keys",
    "length",
    "add",
    "to_entries",
    "flatten",
    "tojson|fromjson",
  ),
  ...language("jsonata", jsonAndText, "a"),
  ...language("jsonata", valueNames, "$sort($)", "$count($)", "$string($)", "$distinct($)", "$sum($)", "**", "$keys($)"),
  ...language(
    "jsonata",
    ["records", "numbers", "shapesAtLimit"],
    "$^(id)",
    "$reverse($)",
    "$zip($,$)",
    "$append($,$)",
    "$merge($)",
    "$spread($)",
    "$map($,function($v){$v})",
    "$filter($,function($v){$v.id=1})",
    "$reduce($,function($a,$v){$append($a,$v)},[])",
    "${$string(id): name}",
    "$[id in $$.id]",
    "$shuffle($)",
  ),
  ...language(
    "jq",
    ["longText", "strings", "randomStrings"],
    'test("(a|a)*b")',
    'gsub("a";"b")',
    'split(",")',
    "explode",
    "ascii_downcase",
    "@base64",
    "@base64d",
    "@base32",
    "@base32d",
    "@uri",
    "@html",
    "@sh",
    '[match("a";"g")]',
    'ltrimstr("a")',
  ),
  ...language(
    "xpath",
    [...xmlNames, "records", "oneLine"],
    "/a/b",
    "//b",
    "count(//*)",
    "string(/)",
    "//b[last()]",
    "//*[@id='5']",
    "sum(//t)",
    "normalize-space(/)",
  ),
  ...language("xquery", [...xmlNames, "oneLine"], "for $x in //b return $x", "<r>{//b}</r>", "for $x in //b order by $x return $x"),
  ...[
    'tokenize: {token: ","}',
    'tokenize: {token: "a", regex: true}',
    'tokenize: {token: "\\n", group: 3}',
    'tokenize: {token: "b", xml: true}',
    'tokenize: {token: "<a>", endToken: "</a>"}',
    'xtokenize: {expression: "//b"}',
    'xtokenize: {expression: "/a/b", mode: w}',
  ].map((text): MessageCase => ({
    name: `language ${text}`,
    steps: [`split: {${text}, steps: [{setProperty: {name: p, constant: x}}]}`],
    inputs: text.startsWith('tokenize: {token: "b') || text.startsWith("x") ? xmlNames : textNames,
  })),
  ...['tokenize: {token: ","}', 'xtokenize: {expression: "//b"}'].map((text): MessageCase => ({
    name: `language ${text} as a value`,
    steps: [`setBody: {${text}}`],
    inputs: [...textNames, "xmlEmpty"],
  })),
];

const formatInputs: Readonly<Record<string, readonly InputName[]>> = {
  base64: [...textNames, "records"],
  csv: [...textNames, "records"],
  gzipDeflater: fewNames,
  jacksonXml: xmlNames,
  json: [...jsonNames, "oneLine", "commas"],
  mimeMultipart: ["boundaries", "lines", "oneLine", "records"],
  tarFile: fewNames,
  yaml: [...yamlNames, "records", "digits", "emptyObjects", "longText", "randomStrings"],
  zipDeflater: fewNames,
  zipFile: fewNames,
};

const formatOptions: Readonly<Record<string, readonly string[]>> = {
  csv: ["", "useMaps: true", "lazyLoad: true", "useOrderedMaps: true"],
  json: ["", "prettyPrint: true", "include: NON_NULL"],
  yaml: ["", "prettyFlow: true"],
};

const formats: readonly MessageCase[] = Object.entries(formatInputs).flatMap(([name, inputs]) =>
  (formatOptions[name] ?? [""]).flatMap((options): MessageCase[] => [
    { name: `format ${name} unmarshal ${options}`, steps: [`unmarshal: {${name}: {${options}}}`], inputs },
    { name: `format ${name} unmarshal, marshal ${options}`, steps: [`unmarshal: {${name}: {${options}}}`, `marshal: {${name}: {${options}}}`], inputs },
    { name: `format ${name} marshal ${options}`, steps: [`marshal: {${name}: {${options}}}`], inputs: [...inputs, "records"] },
    ...(["csv", "json", "yaml", "jacksonXml"].includes(name)
      ? [{ name: `format ${name} marshal JSON ${options}`, steps: ["unmarshal: {json: {}}", `marshal: {${name}: {${options}}}`], inputs: readableJsonNames }]
      : []),
  ]),
);
const customFormat: MessageCase = { name: "format custom", steps: ['unmarshal: {custom: {ref: "c"}}'], inputs: [] };

const onBody = '{simple: "${body}"}';
const inner = "steps: [{setProperty: {name: p, constant: x}}]";

/** A step by name, with options that make it read the body if possible. */
const stepOptions: Readonly<Record<string, readonly string[]>> = {
  aggregate: [
    '{correlationExpression: {simple: "${body}"}, aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy", completionSize: 2, ' +
      inner +
      "}",
  ],
  choice: [
    '{when: [{simple: "${body.a} == 1", steps: [{stop: {}}]}, {simple: "${body.b} == 1", steps: [{stop: {}}]}, {jsonpath: "$.c", steps: [{stop: {}}]}]}',
  ],
  circuitBreaker: [`{${inner}}`],
  claimCheck: ["{operation: Push}"],
  convertBodyTo: ["{type: String}", '{type: "byte[]"}', "{type: java.util.Map}", "{type: java.util.List}", "{type: Integer}"],
  delay: ['{simple: "${body}"}'],
  doTry: [`{${inner}, doCatch: [{exception: [java.lang.Exception], ${inner}}]}`],
  dynamicRouter: ['{simple: "${body}"}'],
  enrich: ['{constant: "direct:none"}'],
  filter: [`{simple: "\${body} == 'x'", ${inner}}`],
  idempotentConsumer: [
    `{simple: "\${body}", idempotentRepository: "#class:org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository", ${inner}}`,
  ],
  loadBalance: [`{${inner}, roundRobinLoadBalancer: {}}`, `{${inner}, stickyLoadBalancer: {correlationExpression: {simple: "\${body}"}}}`],
  log: ['"${body}"', '{message: "${body} ${body}"}'],
  loop: [`{simple: "\${body}", ${inner}}`],
  multicast: ["{steps: [{setProperty: {name: p, constant: x}}, {setProperty: {name: q, constant: x}}]}"],
  pipeline: [`{${inner}}`],
  recipientList: ['{simple: "${body}"}'],
  removeHeader: ["{name: a}"],
  removeHeaders: ['{pattern: "*"}'],
  removeProperties: ['{pattern: "*"}'],
  removeProperty: ["{name: a}"],
  removeVariable: ["{name: a}"],
  resequence: [`{simple: "\${body}", ${inner}, batchConfig: {batchSize: 2, batchTimeout: 100}}`],
  rollback: ['{message: "${body}"}'],
  routingSlip: ['{simple: "${body}"}'],
  saga: [`{${inner}}`],
  sample: ["{samplePeriod: 1}"],
  script: ['{simple: "${body.a}"}'],
  setBody: [onBody],
  setExchangePattern: ["{pattern: InOut}"],
  setHeader: ['{name: h, simple: "${body}"}'],
  setHeaders: ['{headers: [{name: h, simple: "${body}"}, {name: i, simple: "${body}"}]}'],
  setProperty: ['{name: p, simple: "${body}"}'],
  setVariable: ['{name: v, simple: "${body}"}'],
  setVariables: ['{variables: [{name: v, simple: "${body}"}]}'],
  sort: ['{simple: "${body}"}', "{}"],
  split: [
    `{simple: "\${body}", ${inner}}`,
    `{simple: "\${body}", delimiter: "\\n", ${inner}}`,
    `{simple: "\${body}", streaming: true, ${inner}}`,
    `{simple: "\${body}", aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy", ${inner}}`,
    `{simple: "\${body}", parallelProcessing: true, ${inner}}`,
    `{simple: "\${body}", group: 3, ${inner}}`,
  ],
  step: [`{id: s1, ${inner}}`],
  stop: ["{}"],
  threads: ["{poolSize: 1}"],
  throttle: ['{simple: "${body}"}'],
  throwException: ['{exceptionType: java.lang.Exception, message: "${body}"}'],
  to: ['"log:x"', '"log:x?showAll=true"', '"mock:x"', '"seda:none?waitForTaskToComplete=Never"'],
  toD: ['"log:${body}"'],
  transacted: [`{${inner}}`],
  transform: [onBody],
  transformDataType: ['{toType: "text-plain"}'],
  validate: ['{simple: "${body} == 1"}'],
  wireTap: ['{uri: "log:tap"}'],
};

/** Parts that only delegate to others, or that need more than a single route. */
const coveredElsewhere: ReadonlySet<string> = new Set([
  "language method",
  "step marshal",
  "step unmarshal",
  "step bean",
  "step process",
  "step kamelet",
  "step poll",
  "step pollEnrich",
  "step convertHeaderTo",
  "step convertVariableTo",
]);

const listMakers: readonly string[] = ["split", "sort", "loop", "recipientList", "routingSlip", "aggregate"];
const steps: readonly MessageCase[] = Object.entries(stepOptions).flatMap(([name, options]) =>
  options.flatMap((option): MessageCase[] => [
    { name: `step ${name} ${option}`, steps: [`${name}: ${option}`], inputs: [...fewNames, ...(listMakers.includes(name) ? textNames : [])] },
    ...(["split", "sort", "log", "convertBodyTo", "multicast", "to", "wireTap", "setHeader"].includes(name)
      ? [
          {
            name: `step ${name} ${option} of JSON values`,
            steps: ["unmarshal: {json: {}}", `${name}: ${option}`],
            inputs: readableJsonNames,
          },
        ]
      : []),
  ]),
);

/** How replies, run history and previews handle an unread body or a large value. */
const replies: readonly MessageCase[] = [
  { name: "reply nothing", steps: ["setProperty: {name: p, constant: x}"], inputs: [...fewNames, "umlauts", "emoji"] },
  { name: "reply of JSON values", steps: ["unmarshal: {json: {}}"], inputs: readableJsonNames },
  { name: "failure that quotes the body", steps: ['throwException: {exceptionType: java.lang.Exception, message: "${body}"}'], inputs: fewNames },
];

export const messageCases: readonly MessageCase[] = [...languages, ...formats, customFormat, ...steps, ...replies];

/** Names of the catalog without a case. */
export function uncovered(catalog: {
  readonly steps: readonly { name: string }[];
  readonly languages: readonly { name: string }[];
  readonly formats: readonly { name: string }[];
}): readonly string[] {
  const names = [
    ...catalog.steps.map(({ name }) => `step ${name}`),
    ...catalog.languages.map(({ name }) => `language ${name}`),
    ...catalog.formats.map(({ name }) => `format ${name}`),
  ];
  return names.filter(
    (name) =>
      !coveredElsewhere.has(name) &&
      !messageCases.some((messageCase) => messageCase.name === name || messageCase.name.startsWith(`${name} `) || messageCase.name.startsWith(`${name}:`)),
  );
}
