import { once } from "node:events";
import { createServer } from "node:http";

/** Collector of spans by OTLP, which stores the received spans. */
export interface OtlpCollector extends Disposable {
  readonly exported: readonly string[];
  /** Environment variables with which a suite exports spans to this collector after a short time. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a collector on a free port. */
export async function startCollector(): Promise<OtlpCollector> {
  const exported: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      exported.push(body);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    exported,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_BSP_SCHEDULE_DELAY: "100" },
    [Symbol.dispose]() {
      server.close();
    },
  };
}
