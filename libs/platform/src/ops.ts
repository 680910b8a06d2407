import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Registry } from "prom-client";

/** The second port of every service: /healthz (the process lives), /readyz (it can serve), /metrics (Prometheus). */
export function opsHandler(metrics: Registry, ready: () => void | Promise<void>): RequestListener {
  return (request, response) => void answer(request, response, metrics, ready);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: Registry,
  ready: () => void | Promise<void>,
): Promise<void> {
  const text = { "content-type": "text/plain; charset=utf-8" };
  if (request.url === "/healthz") response.writeHead(200, text).end("ok\n");
  else if (request.url === "/metrics") await answerMetrics(response, metrics);
  else if (request.url === "/readyz") {
    try {
      await ready();
      response.writeHead(200, text).end("ready\n");
    } catch (error) {
      response.writeHead(503, text).end(`${error instanceof Error ? error.message : String(error)}\n`);
    }
  } else response.writeHead(404, text).end("not found\n");
}

/** A figure that cannot be had makes this scrape fail, never the process. */
async function answerMetrics(response: ServerResponse, metrics: Registry): Promise<void> {
  try {
    const text = await metrics.metrics();
    response.writeHead(200, { "content-type": metrics.contentType }).end(text);
  } catch {
    response.writeHead(503).end();
  }
}
