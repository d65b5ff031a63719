import { startFaultServer } from "../../src/testing/fault-server.ts";
import type { FaultServer, FaultServerOptions } from "../../src/testing/fault-server.ts";

/** Runs `use` beside a fault server that is closed afterwards, whatever came of it. */
export async function withServer<T>(options: FaultServerOptions, use: (server: FaultServer) => Promise<T>): Promise<T> {
  await using server = await startFaultServer(options);
  return await use(server);
}
