import { Alert, Badge, createTheme, type CSSVariablesResolver } from "@mantine/core";
import { say } from "../texts/say.ts";

/** Theme of the console: colors, and defaults of Mantine's components. */
export const theme = createTheme({
  primaryColor: "blue",
  // Dark enough for white text, also on hover (WCAG AA).
  primaryShade: 8,
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // Mantine's alert color is too pale for a title (WCAG AA).
    Alert: Alert.extend({ styles: { title: { color: "var(--mantine-color-text)" } } }),
    // Keeps the case of the text, and never truncates it: a state shown as "CO…" is useless.
    Badge: Badge.extend({
      defaultProps: { tt: "none" },
      styles: { root: { overflow: "visible" }, label: { overflow: "visible" } },
    }),
    // Makes the button that shows the password reachable by keyboard.
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { tabIndex: 0, "aria-label": say("Show or hide") } },
    },
  },
});

/**
 * Sets greys with enough contrast for text (WCAG AA): darker than Mantine's default in the light scheme, lighter in the
 * dark one.
 */
export const readableGrey: CSSVariablesResolver = () => ({
  variables: {},
  light: { "--mantine-color-dimmed": "var(--mantine-color-gray-7)" },
  dark: { "--mantine-color-dimmed": "var(--mantine-color-gray-5)" },
});
