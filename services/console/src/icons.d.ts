/**
 * Declares one module per icon, because importing the package's index would make every build read about six thousand
 * icons.
 */
declare module "@tabler/icons-react/dist/esm/icons/*.mjs" {
  import type { ComponentType } from "react";
  const icon: ComponentType<{ size: number }>;
  export default icon;
}
