import { expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { wires } from "@modelgate/wires/video";
import { Frames } from "../src/frames.ts";

test("frames that one channel's proxy could not fetch are fetched once through the next channel's proxy", async () => {
  const proxies: (string | undefined)[] = [];
  const images = {
    fetch: async ({ proxy }: { readonly proxy: string | undefined }) => {
      proxies.push(proxy);
      if (proxy === "http://broken.example") throw new Failure("upstream_proxy_failed");
      return { bytes: Buffer.from("a picture"), mediaType: "image/png", [Symbol.dispose]: () => undefined };
    },
  };
  const firstFrame = { kind: "url", url: "https://files.example/a.png" } as const;
  using frames = new Frames({ images }, { model: "m", firstFrame }, { accountId: "a", tokenId: "t" });
  const { vendor } = wires["veo-video"];
  expect(vendor.needsBytes).toBe(true);
  await expect(frames.requestFor(vendor, "http://broken.example")).rejects.toMatchObject({
    code: "upstream_proxy_failed",
  });
  const data = Buffer.from("a picture").toString("base64");
  for (const proxy of ["http://p.example", undefined])
    expect((await frames.requestFor(vendor, proxy)).firstFrame).toMatchObject({ kind: "data", data });
  expect(proxies).toEqual(["http://broken.example", "http://p.example"]);
});
