import { expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { BufferBudget } from "@modelgate/platform";
import { InputImages } from "../../src/images/input-images.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

test("images that one channel's proxy could not fetch are fetched once through the next channel's proxy", async () => {
  const proxies: (string | undefined)[] = [];
  const remote = {
    fetch: async ({ proxy }: { readonly proxy: string | undefined }) => {
      proxies.push(proxy);
      if (proxy === "http://broken.example") throw new Failure("upstream_proxy_failed");
      return { bytes: png, mediaType: "image/png", [Symbol.dispose]: () => undefined };
    },
  };
  const image = { kind: "url", at: "image", url: "https://files.example/a.png" } as const;
  const request = { dialect: "images", model: "m", prompt: "p", images: [image], stream: false } as const;
  const caller = { accountId: "a", tokenId: "t", group: "g", requestId: "r", expiresAt: 0 };
  const call = { caller, ending: new AbortController().signal };
  using input = new InputImages({ remote }, request, call, { add: () => undefined });
  await expect(input.asBytes("http://broken.example")).rejects.toMatchObject({ code: "upstream_proxy_failed" });
  for (const proxy of ["http://p.example", undefined])
    expect((await input.asBytes(proxy)).images).toEqual([
      { kind: "file", at: "image", mediaType: "image/png", bytes: png },
    ]);
  expect(proxies).toEqual(["http://broken.example", "http://p.example"]);
});

test("copies of a request's images are counted in the memory of its body", () => {
  const image = { kind: "file", at: "image", mediaType: "image/png", bytes: png } as const;
  const request = { dialect: "images", model: "m", prompt: "p", images: [image, image], stream: false } as const;
  const caller = { accountId: "a", tokenId: "t", group: "g", requestId: "r", expiresAt: 0 };
  const budget = new BufferBudget(1_000);
  const holding = budget.openHolding(caller);
  const remote = { fetch: () => Promise.reject(new Error("nothing is fetched")) };
  using _ = new InputImages({ remote }, request, { caller, ending: new AbortController().signal }, holding);
  expect(holding.bytes).toBe(4 * png.length);
});
