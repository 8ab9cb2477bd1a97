import { BlockList, isIPv4 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressSet, parseAddress, parseNetwork, sourceOf } from "./address.ts";

const v4 = fc.ipV4();
const v6 = fc.ipV6();

describe("addresses", () => {
  it("parses all spellings of an address to the same value", () => {
    expect(parseAddress("2001:DB8:0:0:0:0:0:1")).toEqual(parseAddress("2001:db8::1"));
    expect(parseAddress("::ffff:10.1.2.3")).toEqual(parseAddress("10.1.2.3"));
    expect(parseAddress("::ffff:a01:203")).toEqual([0x0a010203]);
    expect(parseAddress("64:ff9b::1.2.3.4")).toEqual([0x64ff9b, 0, 0, 0x01020304]);
    expect(parseAddress("fe80::1%eth0")).toEqual(parseAddress("fe80::1"));
    expect(parseAddress("::")).toEqual([0, 0, 0, 0]);
  });

  it("rejects invalid addresses and networks", () => {
    for (const text of ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4/8", "localhost", ":::", "1::2::3", "12345::", " 1.2.3.4", "1.2.3.4 "])
      expect([text, parseAddress(text)]).toEqual([text, undefined]);
    for (const text of ["10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.0/1e1", "/8", "::ffff:1.2.3.4/95"])
      expect([text, parseNetwork(text)]).toEqual([text, undefined]);
  });

  it("agrees with node's BlockList for IPv4", () => {
    fc.assert(
      fc.property(v4, fc.integer({ min: 0, max: 32 }), v4, fc.boolean(), (network, bits, other, near) => {
        const list = new BlockList();
        list.addSubnet(network, bits, "ipv4");
        const address = near ? network.replace(/\d+$/, "7") : other;
        expect(addressSet([`${network}/${bits}`])(address)).toBe(list.check(address, "ipv4"));
        expect(addressSet([`${network}/${bits}`])(`::ffff:${address}`)).toBe(list.check(address, "ipv4"));
      }),
      { numRuns: 2_000 },
    );
  });

  it("agrees with node's BlockList for IPv6", () => {
    fc.assert(
      fc.property(v6, fc.integer({ min: 0, max: 128 }), v6, fc.boolean(), (network, bits, other, same) => {
        fc.pre(parseAddress(network)?.length === 4 && parseAddress(other)?.length === 4);
        const list = new BlockList();
        list.addSubnet(network, bits, "ipv6");
        const address = same ? network : other;
        expect(addressSet([`${network}/${bits}`])(address)).toBe(list.check(address, "ipv6"));
      }),
      { numRuns: 2_000 },
    );
  });

  it("an address with one flipped bit is outside the network if and only if the bit belongs to the prefix", () => {
    fc.assert(
      fc.property(v6, fc.integer({ min: 0, max: 128 }), fc.integer({ min: 0, max: 127 }), (text, bits, flipped) => {
        const words = parseAddress(text);
        fc.pre(words?.length === 4);
        const changed = (words as number[]).map((word, index) => (index === flipped >>> 5 ? (word ^ (0x80000000 >>> (flipped & 31))) >>> 0 : word));
        const spelled = changed.map((word) => `${(word >>> 16).toString(16)}:${(word & 0xffff).toString(16)}`).join(":");
        fc.pre(parseAddress(spelled)?.length === 4);
        expect(addressSet([`${text}/${bits}`])(spelled)).toBe(flipped >= bits);
      }),
      { numRuns: 2_000 },
    );
  });

  it("networks of one family contain no address of the other", () => {
    expect(addressSet(["::/0"])("10.0.0.1")).toBe(false);
    expect(addressSet(["0.0.0.0/0"])("2001:db8::1")).toBe(false);
    expect(addressSet(["::ffff:10.0.0.0/104"])("10.9.9.9")).toBe(true);
    expect(addressSet(["0.0.0.0/0", "::/0"])("not an address")).toBe(false);
  });

  it("treats all addresses in an IPv6 /64 network as one source and keeps IPv4 addresses", () => {
    expect(sourceOf("2001:db8:1:2:3:4:5:6")).toBe(sourceOf("2001:db8:1:2::1"));
    expect(sourceOf("2001:db8:1:3::1")).not.toBe(sourceOf("2001:db8:1:2::1"));
    fc.assert(fc.property(v4, (address) => isIPv4(sourceOf(address))));
  });
});
