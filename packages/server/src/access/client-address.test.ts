import { expect, it } from "vitest";
import { accessRequest } from "./access-request.test-support.ts";
import { clientAddress } from "./client-address.ts";

const from = (remoteAddress: string, ...forwarded: readonly string[]) =>
  accessRequest(
    forwarded.flatMap((value) => ["X-Forwarded-For", value]),
    { remoteAddress },
  );

it("ignores the header without trusted proxies", () => {
  expect(clientAddress([])(from("1.2.3.4", "9.9.9.9"))).toBe("1.2.3.4");
});

it("uses the socket address of a caller that is not a trusted proxy", () => {
  expect(clientAddress(["10.0.0.0/8"])(from("1.2.3.4", "9.9.9.9"))).toBe("1.2.3.4");
});

it("uses the last untrusted address behind trusted proxies", () => {
  const client = clientAddress(["10.0.0.0/8", "::1"]);
  expect(client(from("10.0.0.1", "9.9.9.9"))).toBe("9.9.9.9");
  expect(client(from("10.0.0.1", "6.6.6.6, 9.9.9.9, 10.0.0.2"))).toBe("9.9.9.9");
  expect(client(from("::1", "6.6.6.6", "9.9.9.9,10.3.3.3"))).toBe("9.9.9.9");
  expect(client(from("::ffff:10.0.0.1", "[2001:db8::5]:443"))).toBe("2001:db8::5");
  expect(client(from("10.0.0.1", "9.9.9.9:5123"))).toBe("9.9.9.9");
  expect(client(from("10.0.0.1"))).toBe("10.0.0.1");
  expect(client(from("10.0.0.1", "10.0.0.2"))).toBe("10.0.0.2");
});

it("ignores everything left of an invalid or untrusted entry", () => {
  const client = clientAddress(["10.0.0.0/8"]);
  expect(client(from("10.0.0.1", "9.9.9.9, unknown, 10.0.0.2"))).toBe("10.0.0.2");
  expect(client(from("10.0.0.1", ""))).toBe("10.0.0.1");
  expect(client(from("10.0.0.1", `${"10.0.0.3,".repeat(5_000)}9.9.9.9`))).toBe("9.9.9.9");
});
