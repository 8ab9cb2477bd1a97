import { CompileError, FlowError } from "@sluice/engine/spi";
import { languageUnderTest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { simple } from "./simple.ts";

const { evaluate, matches } = languageUnderTest(simple);

function errorOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe("compile-time errors", () => {
  it.each([
    ["${uppercasse()}", "simple-unknown-function", 2, "did you mean 'uppercase'?"],
    ["Hi ${Body}", "simple-unknown-function", 5, "did you mean 'body'?"],
    ["${ body }", "simple-unknown-function", 2, "remove the spaces inside the braces"],
    ["${length}", "simple-unknown-function", 2, "write ${length(…)}"],
    ["${date}", "simple-unknown-function", 2, "write ${date:…}"],
    ["ok ${body", "simple-syntax", 3, undefined],
    ["${body..x}", "simple-syntax", 7, undefined],
    ["${body[x}", "simple-syntax", 6, undefined],
    ["Hi ${body.a.b c}", "simple-syntax", 12, undefined],
    ["${header.x]}", "simple-syntax", 10, undefined],
    ["${exchangeProperty.x].y}", "simple-syntax", 20, undefined],
    ["${trim( }", "simple-syntax", 8, undefined],
    ["${concat()}", "simple-arguments", 9, "write ${concat(first,second,separator)}"],
    ["${bodyAs(Foo)}", "simple-unknown-type", 9, undefined],
    ["${date:now:bogus}", "date-pattern-invalid", 7, undefined],
    ["${bean:}", "bean-missing", 7, "write it as bean.method, for example orders.total"],
    ["${bean:x?method=y(z)}", "bean-arguments", 7, expect.stringContaining("a quoted string")],
    ["${jsonpath($.a)}", "language-unknown", 11, undefined],
    ["${${header.name}}", "simple-unknown-function", 2, "the functions are listed in the reference of the Simple language"],
    ["$init{\n$a = 1;\n}init$\n$a", "simple-syntax", 7, undefined],
  ])("%s is rejected", (text, code, offset, hint) => {
    const error = errorOf(() => evaluate(text));
    expect(error).toBeInstanceOf(CompileError);
    expect(error).toMatchObject({ code, offset, hint });
  });

  it.each([
    ["${body} = 'x'", 8],
    ["${body}=='x'", 7],
    ["${body} == x", 11],
    ["${body} ==", 8],
    ["5 < ${body}", 0],
    ["null", 0],
    ["(${body} == 1)", 0],
    ["${body} == 'x", 11],
    ["${body} == 1 && 'x'", 19],
    ["${body} == 1 &&${body} == 2", 13],
    ["${body} range 1..2", 14],
    ["${body} regex '['", 14],
    ["${body} is 'Nothing'", 11],
  ])("the predicate %s is rejected", (text, offset) => {
    const error = errorOf(() => matches(text));
    expect(error).toBeInstanceOf(CompileError);
    expect(error).toMatchObject({ offset });
  });
});

describe("run-time errors", () => {
  it.each([
    ["${int:body}", "org.apache.camel.TypeConversionException", "conversion-failed"],
    ["${body[9]}", "java.lang.IndexOutOfBoundsException", "simple-no-index"],
    ["${mandatoryBodyAs(Integer)}", "org.apache.camel.TypeConversionException", "conversion-failed"],
    ["${body.bogus}", "org.apache.camel.ExpressionEvaluationException", "simple-unknown-member"],
    ["${body.substring()}", "org.apache.camel.ExpressionEvaluationException", "simple-argument"],
    ["${body.substring}", "org.apache.camel.ExpressionEvaluationException", "simple-unknown-member"],
    ["${body.replace('e')}", "org.apache.camel.ExpressionEvaluationException", "simple-argument"],
    ["${body.repeat(-1)}", "java.lang.IllegalArgumentException", "simple-argument"],
    ["${throwException('no',java.lang.IllegalStateException)}", "java.lang.IllegalStateException", "simple-thrown"],
    ["${assert(${body} == 'x','must be x')}", "org.apache.camel.ExpressionEvaluationException", "simple-assert"],
    ["${properties:absent}", "java.lang.IllegalArgumentException", "property-missing"],
    ["${date:header.absent:yyyy}", "java.lang.IllegalArgumentException", "simple-no-date"],
    ["${random(3,3)}", "java.lang.IllegalArgumentException", "simple-argument"],
    ["${sort(${list(1,${header.number})},false)}", "java.lang.ClassCastException", "simple-argument"],
    ["${date:${body}:yyyy}", "org.apache.camel.ExpressionIllegalSyntaxException", "simple-syntax"],
  ])("%s fails", (text, type, code) => {
    const error = errorOf(() => evaluate(text, { body: "text", headers: { number: 5 } }));
    expect(error).toBeInstanceOf(FlowError);
    expect(error).toMatchObject({ type, code });
  });

  it.each([
    ["${body.bogus}", '{"a":', "text that is not JSON has no property 'bogus'"],
    ["${body.bogus(1)}", '{"a": 1}', "text has no method 'bogus()'"],
    ["${body.bogus}", "[1]", "a list has no property 'bogus'"],
    ["${body.bogus}", 5, "a number has no property 'bogus'"],
    ["${body.substring()}", "abc", "substring() needs at least 1 argument(s), got 0"],
  ])("%s of %j fails with a message that names the type or the missing argument", (text, body, message) => {
    expect(errorOf(() => evaluate(text, { body }))).toMatchObject({ message });
  });
});
