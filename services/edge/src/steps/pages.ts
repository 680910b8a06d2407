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

/** The page that shows `/openapi.json`: its scripts and styles come from here alone. */
const reader = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>modelgate: the interface</title>
<link rel="icon" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/reader.css">
<div id="reader"></div>
<script src="/docs/reader.js"></script>
<script src="/docs/start.js"></script>
</html>
`;
const start = `SwaggerUIBundle({ url: "/openapi.json", domNode: document.getElementById("reader"), deepLinking: true, docExpansion: "list" });
`;

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

/** The icon of the console, too: browsers otherwise ask for one that does not exist. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b7285"/><path d="M7 24V12l9-6 9 6v12M12 24v-8m4 8v-8m4 8v-8" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>
`;

const json = "application/json; charset=utf-8";
const script = "text/javascript; charset=utf-8";
const require = createRequire(import.meta.url);

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
  "/docs": () => ({ type: "text/html; charset=utf-8", body: reader }),
  "/docs/icon.svg": () => ({ type: "image/svg+xml", body: icon }),
  "/docs/start.js": () => ({ type: script, body: start }),
  "/docs/reader.js": once(() => ({
    type: script,
    body: readFileSync(require.resolve("swagger-ui-dist/swagger-ui-bundle.js")),
  })),
  "/docs/reader.css": once(() => ({
    type: "text/css; charset=utf-8",
    body: readFileSync(require.resolve("swagger-ui-dist/swagger-ui.css")),
  })),
};

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
