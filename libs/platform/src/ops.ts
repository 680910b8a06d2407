import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
/** Source of the text of /metrics. */
export interface MetricsSource {
  readonly contentType: string;
  readonly metrics: () => Promise<string>;
}

/** Readiness of a process, with a line of text for each of its services. */
export interface Readiness {
  readonly isReady: boolean;
  readonly words: string;
}

/**
 * Creates the listener of a process's second port: /healthz (it lives), /readyz (it can serve), /metrics (Prometheus).
 */
export function opsHandler(metrics: MetricsSource, readiness: () => Promise<Readiness>): RequestListener {
  return (request, response) => void answer(request, response, metrics, readiness);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: MetricsSource,
  readiness: () => Promise<Readiness>,
): Promise<void> {
  const text = { "content-type": "text/plain; charset=utf-8" };
  if (request.url === "/healthz") response.writeHead(200, text).end("ok\n");
  else if (request.url === "/metrics") await answerMetrics(response, metrics);
  else if (request.url === "/readyz") {
    const { isReady, words } = await readiness();
    response.writeHead(isReady ? 200 : 503, text).end(`${words}\n`);
  } else response.writeHead(404, text).end("not found\n");
}

/** Answers a scrape. A metric that cannot be computed fails the scrape, not the process. */
async function answerMetrics(response: ServerResponse, metrics: MetricsSource): Promise<void> {
  try {
    const text = await metrics.metrics();
    response.writeHead(200, { "content-type": metrics.contentType }).end(text);
  } catch {
    response.writeHead(503).end();
  }
}
