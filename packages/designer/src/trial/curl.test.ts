import { expect, test } from "vitest";
import { curlOf } from "./curl.ts";

const headers = "Accept: text/csv\nX-Shop: Ada's";

test("the command contains the headers for every method, with or without a body", () => {
  const withHeaders = "-H 'Accept: text/csv' -H 'X-Shop: Ada'\\''s'";
  expect(curlOf("GET", "http://host/api/a", { headers, body: "ignored" })).toBe(`curl -X GET 'http://host/api/a' ${withHeaders}`);
  expect(curlOf("DELETE", "http://host/api/a", { headers, body: "" })).toBe(`curl -X DELETE 'http://host/api/a' ${withHeaders}`);
  expect(curlOf("POST", "http://host/api/a", { headers, body: "x" })).toBe(`curl -X POST 'http://host/api/a' ${withHeaders} --data-binary 'x'`);
});
