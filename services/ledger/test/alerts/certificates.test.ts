import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { expect, test } from "vitest";
import { listen, makeAuthority, startScriptedServer } from "@modelgate/testkit";
import { certificateEnd } from "../../src/alerts/certificates.ts";

test("the end of a certificate is read regardless of its issuer; a server without TLS has none", async () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-certificates-"));
  const authority = await makeAuthority(folder, "authority");
  const { certificateFile, keyFile } = await authority.issue("server");
  const [cert, key] = [readFileSync(certificateFile), readFileSync(keyFile)];
  const server = createServer({ cert, key });
  const plain = await startScriptedServer({});
  try {
    const port = Number(new URL(await listen(server)).port);
    const expected = new Date(new X509Certificate(cert).validTo).toISOString();
    expect(await certificateEnd({ host: "127.0.0.1", port })).toBe(expected);
    expect(await certificateEnd({ host: "127.0.0.1", port: Number(new URL(plain.url).port) })).toBeUndefined();
  } finally {
    server.close();
    await plain[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
});
