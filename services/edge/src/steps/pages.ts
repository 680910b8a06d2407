import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { endpoints, openApi } from "@modelgate/contracts";
import { once } from "@modelgate/platform";
import { contextOf, type Step } from "../request-context.ts";

/** Content security policy. The API reader sets inline styles. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const json = "application/json; charset=utf-8";
const script = "text/javascript; charset=utf-8";
const require = createRequire(import.meta.url);
const serverInfo = {
  name: "modelgate",
  description: "One address and one key for every AI model.",
  interface: "/openapi.json",
  docs: "/docs",
  models: endpoints.listModels.path,
};

/** Content type and body of each page. /docs uses scripts and styles from this table only. */
const pagesByPath = new Map<string, readonly [type: string, body: () => string | Buffer]>([
  ["/", [json, once(() => JSON.stringify(serverInfo))]],
  ["/openapi.json", [json, once(() => JSON.stringify(openApi()))]],
  ["/healthz", ["text/plain; charset=utf-8", () => "ok\n"]],
  ["/docs", ["text/html; charset=utf-8", fileOf(require.resolve("../pages/reader.html"))]],
  ["/docs/icon.svg", ["image/svg+xml", fileOf(require.resolve("../pages/icon.svg"))]],
  ["/docs/start.js", [script, fileOf(require.resolve("../pages/start.js"))]],
  ["/docs/reader.js", [script, fileOf(require.resolve("swagger-ui-dist/swagger-ui-bundle.js"))]],
  ["/docs/reader.css", ["text/css; charset=utf-8", fileOf(require.resolve("swagger-ui-dist/swagger-ui.css"))]],
]);

function fileOf(path: string): () => Buffer {
  return once(() => readFileSync(path));
}

/** Answers a GET or HEAD request for a page. Pages need no key. */
export const servePages: Step = (request, response, next) => {
  const isRead = request.method === "GET" || request.method === "HEAD";
  const page = isRead ? pagesByPath.get(contextOf(request).path) : undefined;
  if (page === undefined) return next();
  const [type, bodyOf] = page;
  const body = bodyOf();
  response.writeHead(200, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "content-security-policy": contentSecurityPolicy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  response.end(body);
};
