import { once } from "node:events";
import type { Server, Socket } from "node:net";

/** A server's place on 127.0.0.1, which it can give up and take again. Ends every connection when it is closed. */
export class LoopbackPort {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #number = 0;

  constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      // A fault server's clients leave in every way there is; that is no error of the server's.
      socket.on("error", () => undefined);
    });
  }

  get number(): number {
    return this.#number;
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Listens on `port`, or on any free one for 0; later calls take the same port again. */
  async open(port = 0): Promise<void> {
    this.#server.listen({ host: "127.0.0.1", port: this.#number || port });
    await once(this.#server, "listening");
    const address = this.#server.address();
    if (address !== null && typeof address === "object") this.#number = address.port;
  }

  /** Stops listening at once; connections go on. */
  refuse(): void {
    if (this.#server.listening) this.#server.close();
  }

  /** Stops listening and ends every connection; resolves when none is left. */
  async close(): Promise<void> {
    const closed = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    this.refuse();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }
}
