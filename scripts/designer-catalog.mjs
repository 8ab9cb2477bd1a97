// Writes the catalog of a runtime without plug-ins next to the designer's page, so that forms and the list of steps work before a
// runtime is reachable. Usage: node scripts/designer-catalog.mjs <file>
import { writeFileSync } from "node:fs";
import { createCatalog, describeCatalog } from "@sluice/server";

const catalog = createCatalog();
await catalog.index.loadAll();
writeFileSync(process.argv[2], JSON.stringify(describeCatalog(catalog)));
