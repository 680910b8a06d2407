import type { Socket } from "node:net";

/** Calls `handle` with the name of each command, in lower case, that a client of a simulated Redis sends. */
export function onCommands(socket: Socket, handle: (name: string) => void): void {
  let unread = "";
  socket.on("data", (bytes: Buffer) => {
    // A command may arrive in two parts.
    unread += bytes.toString("latin1");
    let end = 0;
    for (const match of unread.matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
      end = match.index + match[0].length;
      handle((match[1] ?? "").toLowerCase());
    }
    unread = unread.slice(end);
  });
}
