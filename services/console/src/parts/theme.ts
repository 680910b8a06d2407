import { Alert, Badge, createTheme, type CSSVariablesResolver } from "@mantine/core";
import { say } from "../texts/say.ts";

/** Colors, and how Mantine's parts look and behave everywhere. */
export const theme = createTheme({
  primaryColor: "blue",
  // Dark enough for white text on it, also while it is pointed at (WCAG AA).
  primaryShade: 8,
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // An alert's own color is too pale for its title (WCAG AA).
    Alert: Alert.extend({ styles: { title: { color: "var(--mantine-color-text)" } } }),
    // As a word is written, and never cut: a state that reads "CO…" says nothing.
    Badge: Badge.extend({
      defaultProps: { tt: "none" },
      styles: { root: { overflow: "visible" }, label: { overflow: "visible" } },
    }),
    // What is typed is shown by keyboard too.
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { tabIndex: 0, "aria-label": say("Show or hide") } },
    },
  },
});

/** Grey text that is dark enough to read (WCAG AA); Mantine's own is not. */
export const readableGrey: CSSVariablesResolver = () => ({
  variables: {},
  light: { "--mantine-color-dimmed": "var(--mantine-color-gray-7)" },
  dark: { "--mantine-color-dimmed": "var(--mantine-color-gray-5)" },
});
