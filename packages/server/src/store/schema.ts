// Schema migrations, one per version. A released migration is never changed; add a new one instead.

export const schema: readonly string[] = [
  `CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE queue_message (
     seq INTEGER PRIMARY KEY, id TEXT NOT NULL, queue TEXT NOT NULL, key TEXT, due INTEGER NOT NULL, enqueued INTEGER NOT NULL,
     attempts INTEGER NOT NULL, size INTEGER NOT NULL, kind TEXT NOT NULL, envelope TEXT NOT NULL, body BLOB NOT NULL);
   CREATE INDEX queue_message_order ON queue_message (queue, due, seq);
   CREATE INDEX queue_message_tried ON queue_message (queue, key) WHERE key IS NOT NULL AND attempts > 0;
   CREATE TABLE dead_letter (
     id TEXT PRIMARY KEY, at INTEGER NOT NULL, route_id TEXT NOT NULL, flow_id TEXT NOT NULL, flow_hash TEXT NOT NULL, run_id TEXT, source TEXT NOT NULL,
     attempts INTEGER NOT NULL, replayed_at INTEGER, failure TEXT NOT NULL, search TEXT NOT NULL, size INTEGER NOT NULL,
     kind TEXT NOT NULL, envelope TEXT NOT NULL, body BLOB NOT NULL, input_kind TEXT, input_envelope TEXT, input_body BLOB);
   CREATE INDEX dead_letter_route ON dead_letter (route_id, id);
   CREATE INDEX dead_letter_flow ON dead_letter (flow_id, id)`,
];
