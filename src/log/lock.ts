/** Who holds the lock of a session file. */
export interface LockHolder {
  pid: number;
  host: string;
  /** When the process started, in the words of its system; with the id it names one process for good. Absent where unknown. */
  started?: string;
  /** Tells this lock from any other. */
  token: string;
}
