import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
export interface MetricsSource {
  readonly contentType: string;
  readonly metrics: () => Promise<string>;
}

/** Readiness of a process, and the text of /readyz. */
export interface Readiness {
  readonly isReady: boolean;
  readonly text: string;
}

/** Creates the listener of a process's second port: /healthz (the process runs), /readyz (it can serve), /metrics. */
export function opsHandler(metrics: MetricsSource, readiness: () => Promise<Readiness>): RequestListener {
  return (request, response) => void answerProbe(request, response, metrics, readiness);
}

async function answerProbe(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: MetricsSource,
  readiness: () => Promise<Readiness>,
): Promise<void> {
  const plainText = { "content-type": "text/plain; charset=utf-8" };
  if (request.url === "/healthz") response.writeHead(200, plainText).end("ok\n");
  else if (request.url === "/metrics") await answerMetrics(response, metrics);
  else if (request.url === "/readyz") {
    const { isReady, text } = await readiness();
    response.writeHead(isReady ? 200 : 503, plainText).end(`${text}\n`);
  } else response.writeHead(404, plainText).end("not found\n");
}

async function answerMetrics(response: ServerResponse, metrics: MetricsSource): Promise<void> {
  try {
    const text = await metrics.metrics();
    response.writeHead(200, { "content-type": metrics.contentType }).end(text);
  } catch {
    response.writeHead(503).end();
  }
}
