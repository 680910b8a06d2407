import { connect } from "node:net";

/** Sends an inline command to a Redis server and returns the raw answer. Rejects if the answer is an error. */
export function redisCommand(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => void socket.write(`${command}\r\n`));
    let answer = "";
    socket.setEncoding("utf8");
    socket.once("error", reject).on("data", (text: string) => {
      answer += text;
      // A bulk string is preceded by its length; every other reply is one line.
      const [, length] = /^\$(\d+)\r\n/.exec(answer) ?? [];
      if (length !== undefined && Buffer.byteLength(answer) < Number(length) + length.length + 5) return;
      socket.destroy();
      if (answer.startsWith("-")) reject(new Error(`${command}: ${answer.trim()}`));
      else resolve(answer);
    });
  });
}
