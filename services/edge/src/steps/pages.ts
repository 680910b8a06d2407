import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { endpoints, openApi } from "@modelgate/contracts";
import { once } from "@modelgate/platform";
import { contextOf, type Step } from "../request-context.ts";

/** A page as it is sent. */
interface Content {
  readonly type: string;
  readonly body: string | Buffer;
}

/** Scripts set styles of elements, never inline scripts. */
const policy = [
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

/** The pages; the one at /docs shows /openapi.json, with scripts and styles of this table alone. */
const contents: Readonly<Record<string, () => Content>> = {
  "/openapi.json": once(() => ({ type: json, body: JSON.stringify(openApi()) })),
  "/": once(() => ({
    type: json,
    body: JSON.stringify({
      name: "modelgate",
      say: "One address and one key for every AI model.",
      interface: "/openapi.json",
      docs: "/docs",
      models: endpoints.listModels.path,
    }),
  })),
  "/healthz": () => ({ type: "text/plain; charset=utf-8", body: "ok\n" }),
  "/docs": fileOf("text/html; charset=utf-8", require.resolve("../pages/reader.html")),
  "/docs/icon.svg": fileOf("image/svg+xml", require.resolve("../pages/icon.svg")),
  "/docs/start.js": fileOf(script, require.resolve("../pages/start.js")),
  "/docs/reader.js": fileOf(script, require.resolve("swagger-ui-dist/swagger-ui-bundle.js")),
  "/docs/reader.css": fileOf("text/css; charset=utf-8", require.resolve("swagger-ui-dist/swagger-ui.css")),
};

/** Returns a page that is a file, read once. */
function fileOf(type: string, path: string): () => Content {
  return once(() => ({ type, body: readFileSync(path) }));
}

/** Answers with a page that needs no key, where the path names one. */
export const pages: Step = (request, response, next) => {
  const { path } = contextOf(request);
  const page = request.method === "GET" && Object.hasOwn(contents, path) ? contents[path]?.() : undefined;
  if (page === undefined) return next();
  response.writeHead(200, {
    "content-type": page.type,
    "content-length": Buffer.byteLength(page.body),
    "content-security-policy": policy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  response.end(page.body);
};
