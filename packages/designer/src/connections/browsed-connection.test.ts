import { describe, expect, it } from "vitest";
import type { ConnectionSummary } from "@sluice/client";
import type { ConnectionTypeView, ConnectorView, OptionView } from "@sluice/model";
import { browsedConnection, withName, withPath } from "./browsed-connection.ts";

const option = (name: string, more: Partial<OptionView> = {}): OptionView => ({
  ...{ name, kind: "string", type: "string", doc: "", required: false, group: "common", secret: false },
  ...more,
});
const topic = option("topic", { browse: { what: "topics" } });
const connector = { scheme: "kafka", path: [topic], options: [option("connection", { connection: ["kafka"] }), option("brokers")] } as unknown as ConnectorView;
const types = [
  { type: "kafka", kinds: ["kafka"], fields: [option("brokers")], browses: ["topics"] },
  { type: "postgres", kinds: ["sql"], fields: [option("host")], browses: ["tables"] },
] as unknown as readonly ConnectionTypeView[];
const one = { id: "one", type: "kafka" } as ConnectionSummary;
const two = { id: "two", type: "kafka" } as ConnectionSummary;
const database = { id: "db", type: "postgres" } as ConnectionSummary;

describe("the connection that lists names for an option", () => {
  const find = (values: Readonly<Record<string, string>>, connections: readonly ConnectionSummary[], beans: readonly string[] = []) =>
    browsedConnection({ connector, values: new Map(Object.entries(values)), beans }, topic, connections, types)?.id;

  it("is the one that the endpoint names", () => {
    expect(find({ connection: "#two" }, [one, two])).toBe("two");
    expect(find({ connection: "#bean:two" }, [one, two])).toBe("two");
    expect(find({ connection: "two" }, [one, two])).toBe("two");
    expect(find({ connection: "#db" }, [one, database])).toBeUndefined();
    expect(find({ connection: "#{{name}}" }, [one])).toBeUndefined();
  });

  it("is the only one of a matching type, unless the endpoint contains an address", () => {
    expect(find({}, [one, database])).toBe("one");
    expect(find({}, [one, two])).toBeUndefined();
    expect(find({ brokers: "localhost:9092" }, [one])).toBeUndefined();
  });

  it("is not a bean of the flow", () => {
    expect(find({ connection: "#one" }, [one], ["one"])).toBeUndefined();
  });

  it("must be able to list the kind of names that the option takes", () => {
    const subjects = option("topic", { browse: { what: "subjects" } });
    expect(browsedConnection({ connector, values: new Map(), beans: [] }, subjects, [one], types)).toBeUndefined();
  });
});

describe("a chosen name", () => {
  it("replaces the path of a URI and keeps its options", () => {
    expect(withPath("kafka:old?groupId=a", "orders")).toBe("kafka:orders?groupId=a");
    expect(withPath("kafka:", "50%?")).toBe("kafka:50%25%3F");
  });

  it("is inserted at the caret, or appended if the caret is at the start", () => {
    expect(withName("select * from  where a = 1", 14, "orders")).toBe("select * from orders where a = 1");
    expect(withName("select * from", 0, "orders")).toBe("select * from orders");
    expect(withName("", 0, "orders")).toBe("orders");
  });
});
