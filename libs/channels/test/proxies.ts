import { connect, type Socket } from "node:net";
import { startHttpServer, startSocketServer } from "@modelgate/testkit";

/** Proxy for tests. It records the targets that clients requested. */
export interface TestProxy extends AsyncDisposable {
  readonly url: string;
  /** Targets as `host:port`, and the credentials if a request had some. */
  readonly targets: string[];
}

/** Starts a proxy for CONNECT, which resolves every name to this machine. `credentials` are written `name:password`. */
async function startConnectProxy({ credentials }: { credentials?: string } = {}): Promise<TestProxy> {
  const targets: string[] = [];
  const expected = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const proxy = await startHttpServer((_, response) => response.writeHead(400).end());
  proxy.server.on("connect", (request, client: Socket) => {
    const [host = "", port] = (request.url ?? "").split(/:(?=\d+$)/);
    targets.push(request.url ?? "");
    if (request.headers["proxy-authorization"] !== expected) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    } else if (host === "forbidden.example") {
      client.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno");
    } else {
      const target = connect(Number(port), "127.0.0.1", () =>
        client.write("HTTP/1.1 200 Connection established\r\n\r\n"),
      );
      joined(client, target);
    }
  });
  return { ...proxy, targets };
}

/** Starts a SOCKS5 proxy (RFC 1928, RFC 1929), which resolves every name to this machine. */
async function startSocksProxy({ credentials }: { credentials?: string } = {}): Promise<TestProxy> {
  const targets: string[] = [];
  const proxy = await startSocketServer((client) => {
    const method = credentials === undefined ? 0 : 2;
    let step: "greeting" | "credentials" | "request" = "greeting";
    client.on("data", function read(bytes: Buffer) {
      if (step === "greeting") {
        const offered = bytes.subarray(2, 2 + (bytes[1] ?? 0));
        step = method === 0 ? "request" : "credentials";
        return client.write(Buffer.from([5, offered.includes(method) ? method : 0xff]));
      }
      if (step === "credentials") {
        const name = bytes.subarray(2, 2 + (bytes[1] ?? 0)).toString();
        const password = bytes.subarray(3 + name.length).toString();
        step = "request";
        return client.write(Buffer.from([1, `${name}:${password}` === credentials ? 0 : 1]));
      }
      client.off("data", read);
      const isName = bytes[3] === 3;
      const host = isName ? bytes.subarray(5, -2).toString() : bytes.subarray(4, -2).join(".");
      const port = bytes.readUInt16BE(bytes.length - 2);
      targets.push(`${host}:${port}`);
      const answer = (code: number): Buffer => Buffer.from([5, code, 0, 1, 127, 0, 0, 1, 0, 0]);
      if (host === "forbidden.example") return client.end(answer(2));
      const target = connect(port, "127.0.0.1", () => client.write(answer(0)));
      return joined(client, target);
    });
  }, "socks5");
  return { ...proxy, targets };
}

export const proxyKinds = ["CONNECT", "SOCKS5"] as const;
export const startProxy = { CONNECT: startConnectProxy, SOCKS5: startSocksProxy } as const;

function joined(client: Socket, target: Socket): void {
  target.on("error", () => client.destroy());
  client.on("error", () => target.destroy()).on("close", () => target.destroy());
  client.pipe(target).pipe(client);
}
