import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";

/** A file of the build, and what is smaller than it for browsers that take it. */
interface BuiltFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly br?: Buffer | undefined;
  readonly gzip?: Buffer | undefined;
}

/** The files of a build by their path below its folder. */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
/** Files in this folder have a hash of their content in their name: they never change. */
const hashed = "assets/";

/**
 * Reads a build, which is a few megabytes, so that what is served is of one piece: a build that is written anew below a running
 * service changes nothing before its next start.
 */
export function readBuild(folder: string): BuiltFiles {
  const all = new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(folder, file).replaceAll(sep, "/"), readFileSync(file)] as const),
  );
  const files = new Map<string, BuiltFile>();
  for (const [path, plain] of all) {
    const type = types[extname(path)];
    if (type === undefined) continue;
    const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
    files.set(path, { type, etag, plain, br: all.get(`${path}.br`), gzip: all.get(`${path}.gz`) });
  }
  return files;
}

/**
 * Answers a request for a path below the build's folder. What is no file is a page, which index.html shows, whatever its address has
 * in it; false where it is neither, or the build has no index.html.
 */
export function serveFile(
  files: BuiltFiles,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const isHashed = path.startsWith(hashed);
  const file = files.get(path) ?? (isHashed ? undefined : files.get("index.html"));
  if (file === undefined || (request.method !== "GET" && request.method !== "HEAD")) return false;
  response.setHeader("etag", file.etag);
  response.setHeader("cache-control", isHashed ? "public, max-age=31536000, immutable" : "no-cache");
  response.setHeader("vary", "accept-encoding");
  if (request.headers["if-none-match"]?.includes(file.etag) === true) {
    response.writeHead(304).end();
    return true;
  }
  const { encoding, body } = smallest(file, request);
  if (encoding !== undefined) response.setHeader("content-encoding", encoding);
  response.writeHead(200, { "content-type": file.type, "content-length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
  return true;
}

function smallest(
  { plain, br, gzip }: BuiltFile,
  { headers }: IncomingMessage,
): { readonly encoding?: string; readonly body: Buffer } {
  const taken = (headers["accept-encoding"] ?? "").split(",").map((word) => word.split(";")[0]?.trim());
  if (br !== undefined && taken.includes("br")) return { encoding: "br", body: br };
  if (gzip !== undefined && taken.includes("gzip")) return { encoding: "gzip", body: gzip };
  return { body: plain };
}
