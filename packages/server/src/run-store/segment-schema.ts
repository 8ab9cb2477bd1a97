// Schema migrations of a segment, one per version. A released migration is never changed; add a new one instead.

/** The index has all columns that runs are filtered by, so that a search reads only the runs it returns. */
export const segmentSchema: readonly string[] = [
  `CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE run (
     id TEXT PRIMARY KEY, started_at REAL NOT NULL, flow_id TEXT NOT NULL, route_id TEXT NOT NULL, status TEXT NOT NULL,
     correlation_id TEXT NOT NULL, session_id TEXT, facts TEXT NOT NULL, messages TEXT);
   CREATE INDEX run_order ON run (started_at, id, flow_id, route_id, status, correlation_id, session_id)`,
];
