import { once } from "node:events";
import { createServer } from "node:http";

/** Collector of OTLP that stores the received spans. */
export interface OtlpCollector extends Disposable {
  readonly exported: readonly string[];
  /** Environment variables of a suite that exports its spans here. */
  readonly env: Readonly<Record<string, string>>;
}

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
