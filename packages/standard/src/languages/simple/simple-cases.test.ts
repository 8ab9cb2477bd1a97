import { exchangeOf, FakeHost, languageUnderTest, type LanguageInput } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { simple } from "./simple.ts";

const host = new FakeHost();
host.variables.set("APP_REGION", "eu");
host.globals.set("shared", "everywhere");
host.lookup = { find: (table, from, to, key) => `${table}/${from}/${to}/${String(key)}` };
const { evaluate, matches, scope } = languageUnderTest(simple, { host });

const order: LanguageInput = {
  body: {
    id: 7,
    customer: { name: "Ann", email: null },
    lines: [
      { sku: "a1", quantity: 2 },
      { sku: "b2", quantity: 5 },
    ],
    "odd key": "kept",
  },
  headers: { Color: "red", count: 12, ratio: 2.5, flag: true, csv: "x,y,z", tags: ["one", "two"], "dotted.name": "whole", when: 1_700_000_000_000, empty: "" },
  properties: { tenant: "acme", onlyProperty: "p" },
  variables: { step: 3, map: { deep: [10, 20] } },
};

type Row = readonly [text: string, expected: unknown, input?: LanguageInput];

const expressions: Readonly<Record<string, readonly Row[]>> = {
  templates: [
    ["plain text, 100%", "plain text, 100%"],
    ["${header.color} and ${header.count}", "red and 12"],
    ["[${header.nothing}]", "[]"],
    ["${header.count}", 12],
    ["$simple{header.color}!", "red!"],
    ["{ ${header.color} }", "{ red }"],
    ["costs 5$ or {5}", "costs 5$ or {5}"],
    ["${header.count} == 12 && true", "12 == 12 && true"],
    ["tab\\there\\nend \\x \\\\", "tab\there\nend \\x \\\\"],
    ["   ", ""],
  ],
  access: [
    ["${header.COLOR}|${header:color}|${header[color]}|${headers['color']}|${in.header.color}", "red|red|red|red|red"],
    ["${header.onlyProperty}", "p"],
    ["${header.dotted.name}", "whole"],
    ["${exchangeProperty.tenant}${exchangeProperty.Tenant}", "acme"],
    ["${variable.map.deep[last]}", 20],
    ["${variable.global:shared}", "everywhere"],
    ["${headers.size} ${variables.size}", "9 2"],
    ["${env.app-region}|${env:appRegion}|${env.NOT_SET}", "eu|eu|"],
    ["${header.${body}}", "red", { ...order, body: "color" }],
    ["${header.tags[${variable.step}]}", "two", { ...order, variables: { step: 1 } }],
  ],
  paths: [
    ["${body.customer.name}", "Ann"],
    ["${body.customer.getName()}", "Ann"],
    ["${body[odd key]} ${body['odd key']}", "kept kept"],
    ["${body.lines[last].sku} ${body.lines[last-1].sku} ${body.lines.size}", "b2 a1 2"],
    ["${body.customer.email?.domain}", undefined],
    ["${body?.missing?.deeper}", null],
    ["${body?.lines[9]}", null],
    ["${body.name.toUpperCase().substring(1, 3)}", "NN", { body: '{"name": "anna"}' }],
    ["${body.items[0].sku}", "k9", { body: new TextEncoder().encode('{"items":[{"sku":"k9"}]}') }],
    ['${body.replace("((", "<").replaceAll("[0-9]+", "#")}', "a < #", { body: "a (( 42" }],
    ["${body.length}", null, { body: null }],
  ],
  operators: [
    ["${header.count}++ ${header.count}--", "13 11"],
    ["${header.ratio}++", 3],
    ["${body}++", "10", { body: "9" }],
    ["${header.count}+++", "12+++"],
    ["${header.nothing} ?: 'none'", "none"],
    ["Hi ${header.nothing} ?: 'you' there", "Hi you there"],
    ["${header.nothing} ?: ${header.empty} ?: ${header.color}", "red"],
    ["${header.nothing} ?: 'for ${header.color}'", "for red"],
    ["${trim()} ~> ${uppercase()} ~> ${split($param,' ')} ~> ${size()}", 2, { body: " a b " }],
    ["${header.nothing} ?~> ${concat('x')}", null],
    ["${body} stays ${header.color} ~> ${uppercase()} ${body}", "b stays RED b", { ...order, body: "b" }],
  ],
  ternaries: [
    ["${header.count > 10 ? 'many' : 'few'}", "many"],
    ["${header.count > 10\n  ? header.color\n  : null}", "red"],
    ["${header.count > 20 ? 'a' : header.count > 10 ? 'b' : 'c'}", "b"],
    ["${${header.count} > 1 && ${header.color} == 'red' ? ${header.tags} : 'no'}", ["one", "two"]],
    ["${header.color contains 'x' ? 'is it: so?' : \"no: really\"}", "no: really"],
    ["${header.count > 10 ? 'not ${evaluated}' : ''}", "not ${evaluated}"],
  ],
  text: [
    ["${uppercase(it's)}", "ITS"],
    ["${capitalize('two words')}", "Two Words"],
    ["${normalizeWhitespace()}", "a b c", { body: " a  b\n c " }],
    ["${substring(1,-1)}|${substring(-2)}|${substring(9)}", "bcd|abc|", { body: "abcde" }],
    ["${substringBefore('-')}|${substringAfter('-')}|${substringBetween('a','c')}|${substringAfter('?')}", "a|b-c|-b-|", { body: "a-b-c" }],
    ["${replace('a','&lt;')}|${replace(a,&empty;)}|${replace('.','!')}", "b<n.|bn.|ban!", { body: "ban." }],
    ["${concat(${sum(1,2)},'x','-')}", "3-x"],
    ["${pad(${header.color},6,'#')}|${pad(${header.color},-5)}", "red###|  red"],
    ["${join(' + ','#')}", "#x + #y + #z", { body: "x,y,z" }],
    ["${length('é€')}", 5],
    ["${quote()} ${safeQuote(${header.count})} ${unquote('x')}", '"q" 12 x', { ...order, body: "'q'" }],
    ["${val('kept')}", "'kept'"],
  ],
  numbers: [
    ["${abs(-5)} ${floor(-1.5)} ${ceil(1.2)}", "5 -2 2"],
    ["${sum(${header.csv},4,x,2.5)}", 4],
    ["${max(3,9,4)} ${min(3,9,4)} ${average(1,2,4)}", "9 3 2"],
    ["${sum()}", null],
    ["${range(2,5)}", [2, 3, 4]],
    ["${range(5,2)}", null],
    ["${random(5,6)}", 5],
  ],
  collections: [
    ["${list(1,'a b',${header.count})}", ["1", "a b", 12]],
    ["${map(a,1,'b c',${header.flag})}", { a: "1", "b c": true }],
    ["${distinct(${header.csv},x,q)}", ["x", "y", "z", "q"]],
    ["${reverse(${header.tags},last)}", ["last", "two", "one"]],
    ["${sort(${list(b,a)},true)}", ["b", "a"]],
    ["${split('\\s*;\\s*')}", ["a", "b"], { body: "a ; b;;" }],
    ["${forEach(${body},${body.sku})}", ["s1"], { body: [{ sku: "s1" }, {}] }],
    ["${filter(${header.csv},${body} != 'y')}", ["x", "z"]],
    ["${listAdd(3)}", [1, "3"], { body: [1] }],
    ["${listRemove(last)}", [1], { body: [1, 2] }],
    ["${mapAdd(k,${header.count})}", { k: 12 }, { ...order, body: {} }],
    ["${size(${header.tags})} ${size(${header.nothing})} ${size(text)}", "2 0 1"],
    ["${collate(2)}", [["a", "b"], ["c"]], { body: "a,b,c" }],
    ["${skip(2)}", ["c"], { body: "a,b,c" }],
  ],
  conditions: [
    ["${iif(${header.count} > 5 && ${header.color} == 'red','yes',no)}", "'yes'"],
    ["${not(${header.flag})} ${not()}", "false true", { ...order, body: "" }],
    ["${isEmpty()} ${isAlpha(é)} ${isNumeric(-4)} ${isAlphaNumeric(a1)}", "true true false true", { body: {} }],
    ["${contains(${header.color},'E')}", true],
    ["${kindOfType(${header.ratio})} ${kindOfType(${header.tags})} ${kindOfType(${null})}", "number array null"],
  ],
  conversions: [
    ["${bodyAs(Integer)}", 41, { body: "41" }],
    ["${convertTo(String).length}", 2, { body: 41 }],
    ["${headerAs(count,String)}", "12"],
    ["${int:header.ratio} ${boolean:header.nothing} ${string:header.count}", "2 false 12"],
    ["${convertTo('{\"a\":[1]\\}',Json)}", { a: [1] }],
  ],
  dates: [
    ["${date-with-timezone:header.when:UTC:yyyy-MM-dd'T'HH:mm:ss.SSSX}", "2023-11-14T22:13:20.000Z"],
    ["${date-with-timezone:header.when + 1d - 13m:UTC:EEEE d MMM HH:mm}", "Wednesday 15 Nov 22:00"],
    ["${date-with-timezone:header.when:America/New_York:HH:mm Z}", "17:13 -0500"],
    ["${date:variable.day:dd.MM.yy}", "29.02.24", { variables: { day: "2024-02-29T12:00:00" } }],
    ["${date:millis}", host.clock.now()],
  ],
  documents: [
    ["${hash(abc)}", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    ["${hash(abc,MD5)}", "900150983cd24fb0d6963f7d28e17f72"],
    ["${base64Encode()}", "aGk=\r\n", { body: "hi" }],
    ["=${base64Decode(aGk=)}", "=hi"],
    ["${simpleJsonpath(lines[last].sku)}", "z", { body: '{"lines":[{"sku":"y"},{"sku":"z"}]}' }],
    ["${simpleJsonpath(lines[0]?.nothing)}", null, { body: '{"lines":[{}]}' }],
    ["${toJson(${body})}", '{"url":"a\\/b"}', { body: { url: "a/b" } }],
    ["${prettyBody}", "<a>\n  <b>\n    1\n  </b>\n</a>", { body: "<a><b>1</b></a>" }],
    [
      "${htmlClean(${body})}",
      'x <b>y</b> <a href="http://z" rel="nofollow">l</a>',
      { body: 'x <b onclick=1>y</b> <a href="http://z">l</a><script>alert(1)</script>' },
    ],
    ["${htmlClean(${body})}", "<p>1 &lt; 2 ö</p><p><b>x</b></p>", { body: "<p>1 < 2 &ouml;<p><b>x<img src=x onerror=alert(1)><style>b{}</style>" }],
    ["${htmlClean(${body})}", '<a rel="nofollow">x</a>', { body: "<a href='java&#115;cript:alert(1)'>x</a>" }],
    ["${htmlDecode(${body})}", "Tom & Jerry said: x", { body: "<h1>Tom &amp; Jerry</h1><p>said:<noscript>no</noscript> <i>x</i>" }],
    ["${valueMapping(units,shop,sap,${header.color})}", "units/shop/sap/red"],
    ["${file:name.noext}|${file:ext}|${file:name.ext.single}", "in/a|tar.gz|gz", { headers: { CamelFileName: "in/a.tar.gz" } }],
  ],
  "init blocks": [
    ["$init{\n  // a comment\n  $who := ${body}\n    ~> ${trim()};\n  $n := 2;\n}init$\n$who has $n", "Ann has 2", { body: " Ann " }],
    [
      "$init{\n$shout ~:= ${trim()} ~> ${uppercase()};\n}init$\n$shout() ${shout(' b ')} ${function(shout,${header.color})}",
      "A B RED",
      { ...order, body: " a " },
    ],
    ["no $init{ here }init$", "no $init{ here }init$"],
  ],
};

describe.each(Object.entries(expressions))("expression: %s", (_group, rows) => {
  for (const [text, expected, input] of rows)
    it(text, () => {
      const result = (): unknown => evaluate(text, input ?? order);
      // A path through null without `?.` fails.
      if (expected === undefined) expect(result).toThrow("the path is null before");
      else expect(result()).toEqual(expected);
    });
});

type PredicateRow = readonly [text: string, expected: boolean, input?: LanguageInput];

const predicates: readonly PredicateRow[] = [
  ["${header.color} == 'red'", true],
  ["${header.color} == 'RED'", false],
  ["${header.color} =~ 'RED' && ${header.color} !=~ 'blue'", true],
  ["${header.count} == '12'", true],
  ["${header.count} == '12.0'", false],
  ["${header.count} == 12.0", true],
  ["${header.empty} == ''", true],
  ["${header.nothing} == null", true],
  ["${header.empty} == null", false],
  ["${header.flag} == 'TRUE'", true],
  ["${header.count} > '9'", true],
  ["${header.nothing} >= 0 || ${header.nothing} < 1", false],
  ["${header.color} contains 'e' && ${header.tags} contains 'one'", true],
  ["${header.tags} contains 'on'", false],
  ["${header.tags} ~~ 'ON'", true],
  ["${header.color} in 'blue,red'", true],
  ["${header.color} in 'blue, red'", false],
  ["${header.count} range '10..12' && ${header.count} !range '13..20'", true],
  ["${header.color} regex 'r.d' && ${header.color} !regex 'r'", true],
  ["${header.count} is 'Integer' && ${header.tags} is 'java.util.List' && ${header.color} not is 'Integer'", true],
  ["${header.color} starts with 're' && ${header.color} !endsWith 'x'", true],
  // `&&` and `||` have the same precedence and are evaluated from left to right.
  ["${header.flag} == true || ${header.color} == 'x' && ${header.count} == 0", false],
  ["${header.color} == 'red' ${header.count} == 12", true],
  ["${header.count} == 12 == true", true],
  ["${header.count} > 5 ? 'true' : 'false'", true],
  ["${header.nothing} ?: 'false'", false],
  ["${trim()} ~> ${length()} == 2", true, { body: " ab " }],
  ["${body} == '${header.color}-${header.count}'", true, { ...order, body: "red-12" }],
  ["${body} contains 'a' &&\n\t${body} contains 'b'", true, { body: "ab" }],
  ["", false],
  ["${body}", true, { body: 0 }],
  ["${body}", false, { body: [] }],
  ["${body}", false, { body: new TextEncoder().encode(" ") }],
  ["$init{\n $limit := 10;\n}init$\n${header.count} > $limit", true],
];

describe("predicates", () => {
  for (const [text, expected, input] of predicates)
    it(text, () => {
      expect(matches(text, input ?? order)).toBe(expected);
    });
});

describe("options", () => {
  it.each([
    [{ resultType: "Integer" }, "${header.csv}", "7", 7],
    [{ resultType: "java.lang.Boolean" }, "${header.csv} == 7", "7", true],
    [{ trim: "false" }, " ${header.csv} ", "7", " 7 "],
    [{ trim: "false", trimResult: "true" }, " ${header.csv} ", "7", "7"],
    [{ pretty: "true" }, "${header.csv}", "[1]", "[\n\t1\n]\n"],
    [{ nested: "true" }, "${header.csv}", "n=${header.csv.length}", "n=22"],
  ])("%o on %s", (options, text, csv, expected) => {
    expect(evaluate(text, { headers: { csv }, options })).toEqual(expected);
  });

  it("restores the body when a chain fails", () => {
    const exchange = exchangeOf("kept", { a: "no number" });
    expect(() => simple.compile("${header.a} ~> ${abs()}", {}, scope)(exchange)).toThrow("cannot convert");
    expect(exchange.message.body).toBe("kept");
  });
});
