import type { JobControl } from "./io.ts";

/** Job control of this process, on systems that have it (POSIX). */
export const processJobControl: JobControl = {
  onExit(listener) {
    process.on("exit", listener);
    return () => void process.off("exit", listener);
  },
  onStop({ before, after }) {
    const stopped = (): void => {
      before();
      // Who listens to SIGTSTP is not stopped by it; SIGSTOP cannot be listened to.
      process.kill(process.pid, "SIGSTOP");
    };
    process.on("SIGTSTP", stopped);
    process.on("SIGCONT", after);
    return () => {
      process.off("SIGTSTP", stopped);
      process.off("SIGCONT", after);
    };
  },
  stop() {
    // To the whole process group, as the terminal does it: a shell or a package manager in front is stopped too.
    process.kill(0, "SIGTSTP");
  },
};
