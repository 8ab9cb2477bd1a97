// Acquires and releases the lock of a directory on request: one of several processes that compete for it.
import { lockDirectory } from "../../packages/server/dist/data-lock/lock-directory.js";

let lock;
process.on("message", ({ acquire, directory }) => {
  if (!acquire) {
    lock?.release();
    lock = undefined;
    return process.send({ isOwner: false });
  }
  try {
    lock = lockDirectory(directory);
    process.send({ isOwner: lock.isHeld });
  } catch (error) {
    process.send({ isOwner: false, error: error.message });
  }
});
process.send({ isReady: true });
