import { searchGrowth } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { maskMembers, maskMembersOf } from "./secret-members.ts";

describe("secret members of bodies", () => {
  it.each([
    ['{"user":"ada","password":"s3cret"}', '{"user":"ada","password":"***"}'],
    ['{"Password" : "a\\"b", "x":1}', '{"Password" : "***", "x":1}'],
    ['{"api_key":12345,"apiKey":"k","accessToken":"t"}', '{"api_key":"***","apiKey":"***","accessToken":"***"}'],
    ['{"password":null,"hasPassword":true,"tokenCount":7}', '{"password":null,"hasPassword":true,"tokenCount":7}'],
    ['{"secrets":["a","b"],"n":1}', '{"secrets":"***","n":1}'],
    ['{"credentials":{"user":"ada","password":"x"}}', '{"credentials":{"user":"ada","password":"***"}}'],
    ['{"inner":"{\\"password\\":\\"x\\\\\\"y\\",\\"a\\":1}"}', '{"inner":"{\\"password\\":\\"***\\",\\"a\\":1}"}'],
    ['{"password":"cut off he', '{"password":"***"'],
    ['{"key":"value","name":"password"}', '{"key":"value","name":"password"}'],
    ["user=ada&password=s3cret&x=1", "user=ada&password=***&x=1"],
    ["password=s3cret", "password=***"],
    ["client%5Fsecret=s3cret&a=b", "client%5Fsecret=***&a=b"],
    ["<login><user>ada</user><password>s3cret</password></login>", "<login><user>ada</user><password>***</password></login>"],
    ['<ns:Password type="x">s3cret</ns:Password>', '<ns:Password type="x">***</ns:Password>'],
    ["<password><![CDATA[s<3]]></password>", "<password>***</password>"],
    ["<login user=\"ada\" password='s3cret'/>", '<login user="ada" password="***"/>'],
    ["<password>cut of", "<password>***"],
    ["the password is wrong", "the password is wrong"],
    ["plain text", "plain text"],
  ])("%s is shown as %s", (text, shown) => {
    expect(maskMembers(text)).toBe(shown);
  });

  it("masks members of structured data by name, and secrets in its strings", () => {
    const body = { password: "x", list: [{ token: 1 }], text: "password=y", tokens: ["a"], nested: { secret: { a: "kept" } } };
    expect(maskMembersOf(body)).toEqual({ password: "***", list: [{ token: "***" }], text: "password=***", tokens: "***", nested: { secret: { a: "kept" } } });
  });

  it.each(['"', '\\"', '"password":"', "<password ", "<", " a=", "&password=", '{"password":[', '\\\\\\"token\\\\\\":', "<![CDATA["])(
    "masking a string of %j takes linear time",
    (piece) => {
      const mask = (size: number): string => maskMembers(`password ${piece.repeat(Math.ceil(size / piece.length))}`);
      // More than the 2,000 characters to which the attributes of an element are limited.
      expect(searchGrowth(mask, 4_096)).toBeLessThan(10);
    },
  );
});
