import { ChannelConfiguration, GroupConfiguration, ModelConfiguration } from "@modelgate/contracts";

const parts = { groups: GroupConfiguration, models: ModelConfiguration, channels: ChannelConfiguration };

/** Values of the members that allow only a few values, by part of the configuration. */
export const partChoices = Object.fromEntries(
  Object.entries(parts).map(([section, { properties }]) => [
    section,
    Object.fromEntries(
      Object.entries(properties).flatMap(([name, schema]) => ("enum" in schema ? [[name, schema.enum]] : [])),
    ),
  ]),
);
