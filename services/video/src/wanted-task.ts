import type { TaskRecord } from "@modelgate/accounts";
import type { Candidate } from "@modelgate/catalog";
import type { VideoStyle, VideoWire } from "@modelgate/contracts";
import type { VideoClient, VideoRequest } from "@modelgate/wires/video";

/** A request for a video that has been read. */
export interface WantedTask {
  /** The client's style, and its wire. */
  readonly style: VideoStyle;
  readonly client: VideoClient;
  readonly request: VideoRequest;
  /** Hints that had no place in the neutral form. */
  readonly dropped: readonly string[];
  readonly callbackUrl?: string | undefined;
  /** The task whose video is made anew; it stays with the vendor and key that have it. */
  readonly remix?: TaskRecord | undefined;
}

/** Where a task could be started. */
export interface Routes {
  readonly candidates: readonly Candidate[];
  /** The wires that may be used, the client's own first. */
  readonly wires: readonly VideoWire[];
}
