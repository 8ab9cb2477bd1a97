/** The data directory cannot be used by this process, usually because another process uses it. */
export class LockedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LockedError";
  }
}

export interface DirectoryLock {
  /** Why the directory is not fully protected against a second process. */
  readonly warning: string | undefined;
  /** False when the lock does not prevent a second process. */
  readonly isHeld: boolean;
  release(): void;
}
