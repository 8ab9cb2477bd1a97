import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { junitReporter } from "./junit.ts";
import { render } from "./sample-report.test-support.ts";

const schemaFile = fileURLToPath(new URL("junit.xsd", import.meta.url));
const hasXmllint = spawnSync("xmllint", ["--version"]).error === undefined;

function validateWithXmllint(xml: string): string {
  const { status, stderr } = spawnSync("xmllint", ["--noout", "--schema", schemaFile, "-"], { input: xml, encoding: "utf8" });
  return status === 0 ? "valid" : stderr;
}

it.skipIf(!hasXmllint)("is valid according to its XML schema, which rejects invalid reports (needs xmllint)", () => {
  const xml = render(junitReporter);
  expect(validateWithXmllint(xml)).toBe("valid");
  expect(validateWithXmllint(xml.replace('time="1.600"', 'time="1,6"'))).toContain("time");
  expect(validateWithXmllint(xml.replace('failures="1"', 'failures="one"'))).toContain("failures");
  expect(validateWithXmllint(xml.replaceAll('classname="orders.test"', ""))).toContain("classname");
});
