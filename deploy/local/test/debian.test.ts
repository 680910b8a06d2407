import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { bareCheckout, type BareCheckout } from "./bare-checkout.ts";

function unpack(checkout: BareCheckout): string {
  mkdirSync(checkout.path(".tools"), { recursive: true });
  const script = `import("./deploy/local/bootstrap/debian.mjs").then(({ unpack }) => unpack("servers"))`;
  return checkout.node("-e", script).stderr;
}

/**
 * Prints dependencies as apt-cache does: libraries of the servers, libc6, which every Debian has, and libgone3, which
 * only libc6 needs.
 */
const depends = `printf '%s\\n' redis-server '  Depends: libfoo1' ' |Depends: <any-of>' '    libbar2' '  Depends: libc6' \
  libfoo1 libbar2 '<any-of>' '    libbar2' libc6 '  Depends: libgone3' libgone3 redis-tools nats-server`;

/** Creates a checkout with an apt that downloads nothing, and a dpkg-deb that unpacks both servers from any package. */
function debian(apt: { readonly show: string; readonly download: string }): BareCheckout {
  const checkout = bareCheckout();
  checkout.program("apt-cache", `case "$1" in show) ${apt.show};; *) ${depends}; esac`);
  checkout.program(
    "apt-get",
    `echo "$@" >> ${checkout.path("calls")}
case "$*" in *download*) ${apt.download};; esac`,
  );
  checkout.program(
    "dpkg-deb",
    `mkdir -p "$3/usr/bin" "$3/usr/sbin" "$3/usr/lib/x86_64-linux-gnu" "$3/lib/x86_64-linux-gnu"
for file in bin/redis-server sbin/nats-server; do
  printf '#!/bin/sh\\necho "$LD_LIBRARY_PATH"\\n' > "$3/usr/$file"; chmod +x "$3/usr/$file"
done`,
  );
  return checkout;
}

function aptCalls(checkout: BareCheckout): readonly string[] {
  return readFileSync(checkout.path("calls"), "utf8").trim().split("\n");
}

test("an unpacked server uses its own libraries' folders, and never the current folder", () => {
  using checkout = debian({ show: "true", download: "touch redis-server.deb" });
  expect(unpack(checkout)).toBe("getting redis-server and nats-server from Debian's packages (once)\n");
  // Started by a symbolic link, as programs on PATH often are.
  symlinkSync(checkout.path(".tools/debian/bin/redis-server"), checkout.path("bin/linked"));
  const folders = spawnSync(checkout.path("bin/linked"), { encoding: "utf8" }).stdout.trim().split(":");
  expect(folders).toEqual([
    expect.stringMatching(/^\/.+\/usr\/lib\/x86_64-linux-gnu$/),
    expect.stringMatching(/^\/.+\/lib\/x86_64-linux-gnu$/),
  ]);
  expect(aptCalls(checkout)).toEqual(["download redis-server redis-tools nats-server libfoo1 libbar2"]);
});

test.each([
  { lists: "none", show: "exit 100", downloads: 1 },
  { lists: "stale", show: "true", downloads: 2 },
])("unusable package lists ($lists) are downloaded again, separately from the system's", ({ show, downloads }) => {
  // Only the fresh lists name a version that the archive has.
  const download = `case "$*" in *Dir::State::lists=*) touch redis-server.deb;; *) echo '404  Not Found' >&2; exit 100;; esac`;
  using checkout = debian({ show, download });
  expect(unpack(checkout)).not.toContain("could not be installed");
  expect(checkout.tools()).toEqual(["debian"]);
  expect(aptCalls(checkout).filter((line) => line.includes("download"))).toHaveLength(downloads);
  expect(aptCalls(checkout).filter((line) => line.includes("update"))).toEqual([
    expect.stringContaining("Dir::State::lists="),
  ]);
});

test("a failed download leaves no files behind, and the error states the reason", () => {
  using checkout = debian({ show: "true", download: "echo 'no network here' >&2; exit 100" });
  expect(unpack(checkout)).toContain("Debian's packages could not be installed: no network here");
  expect(checkout.tools()).toEqual([]);
});
