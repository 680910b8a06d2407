import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";

interface BuiltFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly br?: Buffer | undefined;
  readonly gzip?: Buffer | undefined;
}

/** Files of a build by relative path. */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>;

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
/** Folder of files that never change, because their names contain a hash. */
const hashedFolder = "assets/";

/** Reads a complete build into memory, so that all pages are of the same build. */
export function readBuild(folder: string): BuiltFiles {
  const all = new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(folder, file).replaceAll(sep, "/"), readFileSync(file)] as const),
  );
  const files = new Map<string, BuiltFile>();
  for (const [path, plain] of all) {
    const type = contentTypes[extname(path)];
    if (type === undefined) continue;
    const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
    files.set(path, { type, etag, plain, br: all.get(`${path}.br`), gzip: all.get(`${path}.gz`) });
  }
  return files;
}

/**
 * Answers a request for a file. Other paths get index.html, whose script shows the page. Returns false for other
 * methods and unknown hashed files.
 */
export function serveFile(
  files: BuiltFiles,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const isHashed = path.startsWith(hashedFolder);
  const file = files.get(path) ?? (isHashed ? undefined : files.get("index.html"));
  if (file === undefined || (request.method !== "GET" && request.method !== "HEAD")) return false;
  response.setHeader("etag", file.etag);
  response.setHeader("cache-control", isHashed ? "public, max-age=31536000, immutable" : "no-cache");
  response.setHeader("vary", "accept-encoding");
  if (request.headers["if-none-match"]?.includes(file.etag) === true) {
    response.writeHead(304).end();
    return true;
  }
  const { encoding, body } = chooseEncoding(file, request);
  if (encoding !== undefined) response.setHeader("content-encoding", encoding);
  response.writeHead(200, { "content-type": file.type, "content-length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
  return true;
}

function chooseEncoding(
  { plain, br, gzip }: BuiltFile,
  { headers }: IncomingMessage,
): { readonly encoding?: string; readonly body: Buffer } {
  const acceptedEncodings = (headers["accept-encoding"] ?? "").split(",").map((word) => word.split(";")[0]?.trim());
  if (br !== undefined && acceptedEncodings.includes("br")) return { encoding: "br", body: br };
  if (gzip !== undefined && acceptedEncodings.includes("gzip")) return { encoding: "gzip", body: gzip };
  return { body: plain };
}
