import { connect } from "node:net";

/** Sends an inline command to a Redis server and returns the raw answer. Rejects if the answer is an error. */
export function redisCommand(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // The answer of a second command shows where that of the first one ends.
    const socket = connect({ port, host: "127.0.0.1" }, () => void socket.write(`${command}\r\nPING\r\n`));
    const end = "+PONG\r\n";
    let answer = "";
    socket.setEncoding("utf8");
    socket.once("error", reject).on("data", (text: string) => {
      answer += text;
      if (answer.startsWith("-")) reject(new Error(`${command}: ${answer.split("\r\n")[0]}`));
      else if (answer.endsWith(end) && answer.length > end.length) resolve(answer.slice(0, -end.length));
      else return;
      socket.destroy();
    });
  });
}
