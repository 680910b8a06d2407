import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate } from "selfsigned";

/** Files of a certificate and its key. */
export interface IssuedCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
}

export interface Authority {
  readonly file: string;
  /** Issues a certificate for servers at 127.0.0.1. It is valid until `end`; by default, for a year. */
  issue(name: string, end?: Date): Promise<IssuedCertificate>;
}

const keyOptions = { keyType: "ec", algorithm: "sha256" } as const;

/** Creates an authority with its files in `folder`. */
export async function makeAuthority(folder: string, name: string): Promise<Authority> {
  const certificate = await generate([{ name: "commonName", value: name }], {
    ...keyOptions,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const file = join(folder, `${name}.crt`);
  writeFileSync(file, certificate.cert);
  return {
    file,
    async issue(server, end) {
      const issued = await generate([{ name: "commonName", value: server }], {
        ...(end === undefined ? keyOptions : { ...keyOptions, notAfterDate: end }),
        ca: { key: certificate.private, cert: certificate.cert },
        extensions: [
          { name: "basicConstraints", cA: false },
          { name: "extKeyUsage", serverAuth: true },
          { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
        ],
      });
      const certificateFile = join(folder, `${server}.crt`);
      const keyFile = join(folder, `${server}.key`);
      writeFileSync(certificateFile, issued.cert);
      writeFileSync(keyFile, issued.private, { mode: 0o600 });
      return { certificateFile, keyFile };
    },
  };
}
