/** The project that this tab looks at: its own screen, one of its sessions, or a search in it. */
import { paths } from "../routes";
import { router } from "./router.svelte";
import { sessions } from "./sessions.svelte";

export const viewed = {
  get project(): string | undefined {
    const route = router.route;
    switch (route.name) {
      case "project":
        return route.slug;
      case "session":
        return route.slug ?? sessions.projectOf(sessions.one(route.id))?.slug;
      case "new":
      case "search":
        return route.project;
      default:
        return undefined;
    }
  },
  /** Where a new session is begun, in that project. */
  get begin(): string {
    return paths.begin(viewed.project);
  },
};
