/** One frame of a vendor's stream: its data, and the name of its event where the framing has one. */
export interface Frame {
  readonly event?: string | undefined;
  readonly data: string;
}
