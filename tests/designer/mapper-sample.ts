// An order of a shop and the order of an ERP that it is mapped to: 20 fields, a loop, a lookup and a condition.

export const units = {
  name: "Units of measure",
  columns: ["shop", "sap"],
  rows: [
    ["piece", "ST"],
    ["box", "KAR"],
  ],
};

const line = { qty: 1, price: 10, color: "red" };
export const shopOrder = {
  id: "A-1",
  placedAt: "2026-11-16T14:02:11Z",
  customer: { first: "Ada", last: "Lovelace", country: "DE", email: "ada@example.org" },
  currency: "EUR",
  total: 1240.5,
  note: "quick",
  delivery: { street: "Hauptstr. 5", zip: "20095", city: "Hamburg" },
  lines: [
    { sku: "KB-1", unit: "box", ...line },
    { sku: "KB-2", unit: "piece", ...line },
  ],
};
export const erpResult = {
  OrderNo: "A-1",
  OrderDate: "2026-11-16",
  Customer: "Ada Lovelace",
  FirstName: "Ada",
  LastName: "Lovelace",
  Email: "ada@example.org",
  Country: "DE",
  Currency: "EUR",
  Total: 1240.5,
  Note: "quick",
  Street: "Hauptstr. 5",
  Zip: "20095",
  City: "Hamburg",
  Express: "X",
  Items: [
    { Position: 10, Sku: "KB-1", Unit: "KAR", Qty: 1, Price: 10, Color: "red" },
    { Position: 20, Sku: "KB-2", Unit: "ST", Qty: 1, Price: 10, Color: "red" },
  ],
};
/** The target sample: only its fields matter, not its values. */
export const erpOrder = { ...erpResult, Items: erpResult.Items.slice(0, 1) };
