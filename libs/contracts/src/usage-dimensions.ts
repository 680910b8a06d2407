/** Dimensions by which totals of usage can be grouped, in addition to end users and tags. */
export const totalsDimensions = ["account", "team", "token", "model", "channel", "outcome", "day", "hour"] as const;

/** Dimensions by which times to the first byte can be grouped, in addition to tags. */
export const firstByteDimensions = ["model", "channel", "day", "hour"] as const;

/** Name of all tag dimensions in help and error messages. */
const anyTagDimension = "tag:<name>";

/** Names of all dimensions of totals, for help and error messages. */
export const totalsDimensionNames: readonly string[] = [...totalsDimensions, "endUser", anyTagDimension];

/** Names of all dimensions of times to the first byte, for help and error messages. */
export const firstByteDimensionNames: readonly string[] = [...firstByteDimensions, anyTagDimension];
