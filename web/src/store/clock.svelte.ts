/** One tick a second for everything that shows an age, and only while something does. */
import { createSubscriber } from "svelte/reactivity";

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1000);
  return () => clearInterval(timer);
});

export const clock = {
  /** Milliseconds since 1970, renewed every second for whoever reads it in markup. */
  get now(): number {
    subscribe();
    return Date.now();
  },
};
