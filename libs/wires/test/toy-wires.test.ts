import { expect, test } from "vitest";
import { bridgeBetween, eventMessage, vendorsTranscribers, wires as realtimeWires } from "../src/realtime/index.ts";
import { wires as videoWires, type VideoVendor } from "../src/video/index.ts";
import { vendorWire } from "../src/wire.ts";
import { toy as session } from "./toys/realtime/index.ts";
import { register } from "./toys/register.ts";
import { toy as film } from "./toys/video/index.ts";

/* Kinds whose services need a vendor for more than an exchange; the others are served in the services' tests. */

test("a wire of video tasks", () => {
  const { client } = videoWires["video-generations"];
  const { vendor } = vendorWire<VideoVendor>(videoWires, register(videoWires, film));
  const { request } = client.read({ model: "mine", prompt: "a fox", duration: 4 });
  expect(vendor.render(request, { model: "theirs" })).toMatchObject({
    body: { film: "a fox", seconds: 4 },
    seconds: 4,
  });
  expect(vendor.started({ ticket: "t" })).toBe("t");
  expect(vendor.parse({ film: "https://a.example/x.mp4" })).toEqual({
    kind: "finished",
    result: { url: "https://a.example/x.mp4" },
  });
});

test("a wire of sessions", () => {
  const names = {
    model: "mine",
    upstreamModel: "theirs",
    sessionId: "s",
    transcribers: vendorsTranscribers,
    vendorTools: false,
  };
  const bridge = bridgeBetween("realtime", register(realtimeWires, session), names);
  expect(bridge.fromClient(eventMessage({ type: "response.create" })).toVendor).toEqual([
    eventMessage({ act: "response.create" }),
  ]);
  expect(bridge.fromVendor(eventMessage({ act: "response.done" })).toClient).toEqual([
    eventMessage({ type: "response.done" }),
  ]);
});
