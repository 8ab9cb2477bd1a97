const pattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
// Device names on Windows, with any extension; flows must be storable on every system.
const device = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/** True for ids that are safe file names on every system. Used for the ids of flows and of all other documents that are stored as files. */
export function isFlowId(id: string): boolean {
  return pattern.test(id) && !id.includes("..") && !id.endsWith(".") && !device.test(id);
}
