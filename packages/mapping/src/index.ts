export * from "./problem.ts";
export { readTable, tableLimits, type ReadTable } from "./value-mapping/read-table.ts";
export { tableFromCsv, tableToCsv } from "./value-mapping/table-csv.ts";
export { tableFromXml, tableToXml } from "./value-mapping/table-xml.ts";
export { tableWarnings } from "./value-mapping/table-warnings.ts";
export * from "./value-mapping/value-table.ts";
export { tableDocument, tableText } from "./value-mapping/write-table.ts";
