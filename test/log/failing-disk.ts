import fs from "node:fs";
import type { FileSystem } from "../../src/log/file-system.ts";

export type DiskFault =
  | "full"
  /** The first bytes still find room. */
  | "full after a part"
  /** And what was written cannot be taken back either. */
  | "stuck after a part"
  /** Writes less than it was asked to, without an error, and then goes on. */
  | "short writes"
  | "cannot sync"
  | "cannot sync directories"
  | "cannot rename"
  | "cannot open";

function systemError(code: string, call: string): Error {
  return Object.assign(new Error(`${code}: injected, ${call}`), { code });
}

/** The real disk, as long as no fault is set. */
export class FailingDisk {
  fault: DiskFault | undefined;
  /** Forced writes to the disk, by descriptor or at close. */
  syncs = 0;

  readonly fileSystem: FileSystem = {
    ...fs,
    writeSync: (descriptor, bytes, offset, length) => {
      if (this.fault === "full") throw systemError("ENOSPC", "write");
      if (this.fault === "short writes") return fs.writeSync(descriptor, bytes, offset, Math.min(length, 7));
      if (this.fault?.endsWith("after a part") === true) {
        if (offset > 0) throw systemError("ENOSPC", "write");
        return fs.writeSync(descriptor, bytes, offset, Math.ceil(length / 2));
      }
      return fs.writeSync(descriptor, bytes, offset, length);
    },
    ftruncateSync: (descriptor, length) => {
      if (this.fault === "stuck after a part") throw systemError("EIO", "ftruncate");
      fs.ftruncateSync(descriptor, length);
    },
    fdatasync: (descriptor, callback) => {
      this.syncs += 1;
      if (this.fault === "cannot sync") callback(systemError("EIO", "fdatasync"));
      else fs.fdatasync(descriptor, callback);
    },
    fdatasyncSync: (descriptor) => {
      this.syncs += 1;
      const cannot =
        this.fault === "cannot sync directories" ? fs.fstatSync(descriptor).isDirectory() : this.fault === "cannot sync";
      if (cannot) throw systemError("EIO", "fdatasync");
      fs.fdatasyncSync(descriptor);
    },
    renameSync: (from, to) => {
      if (this.fault === "cannot rename") throw systemError("EACCES", "rename");
      fs.renameSync(from, to);
    },
    openSync: (path, flags, mode) => {
      if (this.fault === "cannot open") throw systemError("EACCES", "open");
      return fs.openSync(path, flags, mode);
    },
  };
}
