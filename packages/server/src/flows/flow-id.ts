const pattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
// Windows keeps these names for devices, with any extension; a flow must be storable everywhere.
const device = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/** True for ids that are safe as file names on every system. Holds for flows, tables, documents and policies alike. */
export function isFlowId(id: string): boolean {
  return pattern.test(id) && !id.includes("..") && !id.endsWith(".") && !device.test(id);
}
