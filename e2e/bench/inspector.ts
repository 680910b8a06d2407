import { once } from "node:events";
import { WebSocket } from "ws";

/** Environment of a process that listens for an inspector on a free port. */
export const inspectedEnv = { NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --inspect=127.0.0.1:0`.trim() };

/** Environment of a process that listens for an inspector after SIGUSR1. */
export const inspectableEnv = {
  NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --inspect-port=127.0.0.1:0`.trim(),
};

/** Connection to V8's inspector of a process. */
interface Inspector {
  /** Sends a command and returns its result as JSON. */
  send(method: string, params?: object): Promise<string>;
  close(): void;
}

/** Finds the inspector's address in the log of a process. */
export function inspectorIn(log: string): string {
  const address = /ws:\/\/127\.0\.0\.1:\S+/.exec(log)?.[0];
  if (address === undefined) throw new Error("the process does not listen for an inspector");
  return address;
}

/** Connects to an inspector. */
export async function openInspector(address: string): Promise<Inspector> {
  const socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 0 });
  await once(socket, "open");
  let last = 0;
  return {
    close: () => socket.close(),
    send(method, params = {}) {
      const id = ++last;
      socket.send(JSON.stringify({ id, method, params }));
      return new Promise((resolve) => {
        socket.on("message", function onMessage(data: Buffer) {
          const message: { readonly id?: number; readonly result?: object } = JSON.parse(data.toString());
          if (message.id !== id) return;
          socket.off("message", onMessage);
          resolve(JSON.stringify(message.result ?? {}));
        });
      });
    },
  };
}
