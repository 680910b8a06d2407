import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type TLSSocket } from "node:tls";
import { freePorts, makeAuthority } from "@modelgate/testkit";

/** TLS proxy. */
export interface TlsFront extends AsyncDisposable {
  readonly url: string;
  /** Certificate of the authority that clients must accept. */
  readonly authority: string;
}

/** Starts a TLS proxy of an address, with a certificate of a new authority. */
export async function tlsFront(behind: string): Promise<TlsFront> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-front-"));
  const authority = await makeAuthority(folder, "front-authority");
  const { certificateFile, keyFile } = await authority.issue("front");
  const open = new Set<TLSSocket>();
  const server = createServer({ cert: readFileSync(certificateFile), key: readFileSync(keyFile) }, (client) => {
    const gateway = connect(Number(new URL(behind).port), "127.0.0.1");
    open.add(client);
    client.once("close", () => open.delete(client));
    for (const [side, other] of [
      [client, gateway],
      [gateway, client],
    ] as const) {
      side.on("error", () => other.destroy());
      side.pipe(other);
    }
  });
  const [port = 0] = await freePorts(1);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://127.0.0.1:${port}`,
    authority: readFileSync(authority.file, "utf8"),
    async [Symbol.asyncDispose]() {
      for (const client of open) client.destroy();
      await new Promise((closed) => server.close(closed));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
