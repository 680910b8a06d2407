import type { Socket } from "node:net";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { openaiModel, statusesOf, attackResult, type Attack, type AttackContext } from "../attack.ts";
import type { Answer } from "../../chaos/exchange.ts";
import { residentMebibytes } from "../loops.ts";
import type { RawHandler } from "../vendor.ts";
import { textAnswer, textRequest } from "./wires.ts";

const maxGrowthMebibytes = 400;
/** An endless vendor stops after this number of bytes. The gateway must stop reading earlier. */
const endlessBytes = 96 * 1024 * 1024;

const answer = JSON.stringify(textAnswer("chat"));
const head = (lines: readonly string[], status = "200 OK"): string =>
  `HTTP/1.1 ${status}\r\n${lines.join("\r\n")}${lines.length > 0 ? "\r\n" : ""}\r\n`;
const jsonHead = (length: number, more: readonly string[] = []): string =>
  head(["content-type: application/json", `content-length: ${length}`, ...more]);
const chunked = ["content-type: application/json", "transfer-encoding: chunked"];
const events = ["content-type: text/event-stream", "transfer-encoding: chunked"];
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

const sendBytes =
  (...parts: readonly (string | Buffer)[]): RawHandler =>
  (socket) => {
    for (const part of parts) socket.write(part);
    socket.end();
  };

/** Creates a vendor that repeats a piece up to `endlessBytes`. */
const repeatPiece =
  (first: string, piece: string): RawHandler =>
  (socket) => {
    socket.write(first);
    let remaining = endlessBytes;
    const more = (): void => {
      while (remaining > 0 && !socket.destroyed) {
        remaining -= piece.length;
        if (!socket.write(piece)) {
          socket.once("drain", more);
          return;
        }
      }
      socket.end();
    };
    more();
  };

/** Creates a vendor that sends a piece often enough not to be silent. */
const sendPieceSlowly =
  (first: string, piece: string): RawHandler =>
  (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(piece), 500);
    const end = setTimeout(() => socket.destroy(), 12_000);
    socket.on("close", () => {
      clearInterval(timer);
      clearTimeout(end);
    });
  };

/** Creates a vendor that sends 256 MiB of zeros, compressed. */
const sendBomb = (encoding: string, compress: (bytes: Buffer) => Buffer): RawHandler => {
  let bytes: Buffer | undefined;
  return (socket) => {
    bytes ??= compress(Buffer.alloc(256 * 1024 * 1024));
    sendBytes(jsonHead(bytes.length, [`content-encoding: ${encoding}`]), bytes)(socket);
  };
};

const redirect =
  (status: string, location: (socket: Socket) => string): RawHandler =>
  (socket) =>
    sendBytes(head([`location: ${location(socket)}`, "content-length: 0"], status))(socket);

/** Faulty vendors by a description of their fault. */
const faultyVendors: Readonly<Record<string, RawHandler>> = {
  garbage: sendBytes("\u0000\u0001\u0002 no HTTP at all \r\n\r\n"),
  "HTTP/0.9": sendBytes("<html>hello</html>"),
  "an empty answer": sendBytes(""),
  silence: () => undefined,
  "no end of the head": repeatPiece("HTTP/1.1 200 OK\r\n", "x-more: yes\r\n".repeat(64)),
  "a header of 1 MB": sendBytes(jsonHead(answer.length, [`x-long: ${"y".repeat(1_000_000)}`]), answer),
  "10,000 headers": sendBytes(
    jsonHead(
      answer.length,
      Array.from({ length: 10_000 }, (_, at) => `x-${at}: y`),
    ),
    answer,
  ),
  "a head that drips": sendPieceSlowly("HTTP/1.1 200 OK\r\n", "x: y\r\n"),
  "a body that drips": sendPieceSlowly(head(chunked), chunk(" ")),
  "endless JSON": repeatPiece(head(chunked), chunk(`"${"x".repeat(65_000)}`)),
  "an endless stream": repeatPiece(head(events), chunk(`: ${"x".repeat(30_000)}\n\n`)),
  "an endless line": repeatPiece(head(events), chunk(`data: ${"x".repeat(65_000)}`)),
  "too long a content-length": sendBytes(jsonHead(answer.length * 2), answer),
  "too short a content-length": sendBytes(jsonHead(10), answer),
  "a negative content-length": sendBytes(jsonHead(-5), answer),
  "two content-lengths": sendBytes(
    head(["content-type: application/json", `content-length: ${answer.length}`, "content-length: 5"]),
    answer,
  ),
  "length and chunks": sendBytes(head([...chunked, "content-length: 5"]), chunk(answer), "0\r\n\r\n"),
  "bad chunks": sendBytes(head(chunked), "zz\r\noops\r\n0\r\n\r\n"),
  "a chunk of 2^64 bytes": sendBytes(head(chunked), `ffffffffffffffff\r\n${answer}`),
  "chunks that are cut": sendBytes(head(chunked), chunk(answer).slice(0, -20)),
  "a second answer": sendBytes(jsonHead(answer.length), answer, jsonHead(answer.length), answer),
  "1,000 × 100 Continue": sendBytes("HTTP/1.1 100 Continue\r\n\r\n".repeat(1_000), jsonHead(answer.length), answer),
  "101": sendBytes(head(["upgrade: h2c", "connection: upgrade"], "101 Switching Protocols")),
  "204 for an answer": sendBytes(head([], "204 No Content")),
  "status 999": sendBytes(head(["content-length: 2"], "999 What"), "{}"),
  "a redirect to metadata": redirect("302 Found", () => "http://169.254.169.254/latest/meta-data/"),
  "a redirect to itself": redirect("307 Temporary Redirect", () => "/"),
  "a gzip bomb": sendBomb("gzip", (bytes) => gzipSync(bytes)),
  "a brotli bomb": sendBomb("br", (bytes) => brotliCompressSync(bytes)),
  "a zstd bomb": sendBomb("zstd", (bytes) => zstdCompressSync(bytes)),
  "invalid gzip": sendBytes(jsonHead(answer.length, ["content-encoding: gzip"]), answer),
  "JSON 100,000 deep": sendBytes(jsonHead(200_000), "[".repeat(100_000) + "]".repeat(100_000)),
  "JSON of another kind": sendBytes(jsonHead(4), "null"),
  "a body that is cut": sendBytes(jsonHead(answer.length), answer.slice(0, -30)),
  "frames of no JSON": sendBytes(head(events), chunk("data: {oops\n\ndata: [1]\n\ndata: null\n\n"), "0\r\n\r\n"),
  "no UTF-8": sendBytes(head(events), Buffer.from("14\r\ndata: \xff\xfe\xfd", "latin1"), "\r\n0\r\n\r\n"),
  "500 with a page": sendBytes(head(["content-type: text/html", "content-length: 12"], "500 Oops"), "<html>oops</"),
};

const namedFaultyVendors = Object.entries(faultyVendors).map(([what, raw], at) => ({ what, raw, name: `v${at}` }));

/** Requests a complete answer and a stream. */
async function callWholeAndStreamed(context: AttackContext, name: string): Promise<readonly Answer[]> {
  const call = (stream: boolean): Promise<Answer> =>
    context.send(textRequest("chat", context.model(name), { stream, max_completion_tokens: 50 }));
  return [await call(false), await call(true)];
}

/** Attacks by vendors that violate HTTP, JSON or a wire. */
export const vendorAttacks: readonly Attack[] = [
  {
    id: "vendors",
    name: "makes vendors send garbage, endless answers, compression bombs and wrong lengths",
    area: "text",
    models: namedFaultyVendors.map(({ name, raw }) =>
      openaiModel(name, "chat", { input: 1, output: 2 }, undefined, { raw, path: "v1" }),
    ),
    async run(context) {
      const before = await residentMebibytes(context.suite, "text");
      const answers: Answer[] = [];
      const failedChecks: string[] = [];
      let growthMebibytes = 0;
      const queue = [...namedFaultyVendors];
      const caller = async (): Promise<void> => {
        for (let vendor = queue.shift(); vendor !== undefined; vendor = queue.shift()) {
          const both = await callWholeAndStreamed(context, vendor.name);
          answers.push(...both);
          for (const { status, end } of both)
            if (status === 500 || end === "too late") failedChecks.push(`${vendor.what}: ${status} ${end}`);
          growthMebibytes = Math.max(growthMebibytes, (await residentMebibytes(context.suite, "text")) - before);
        }
      };
      await Promise.all([caller(), caller(), caller()]);
      return attackResult(
        `${namedFaultyVendors.length} vendors, ${answers.length} calls: ${statusesOf(answers)}`,
        `memory of text +${Math.round(growthMebibytes)} MiB`,
        [...failedChecks, growthMebibytes > maxGrowthMebibytes && `text grew by ${Math.round(growthMebibytes)} MiB`],
      );
    },
  },
];
