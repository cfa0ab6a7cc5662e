import { mount } from "svelte";
import App from "./App.svelte";
import { applyLooks } from "./store/settings.svelte";
import "./styles/fonts.css";
import "./styles/base.css";
import "./styles/tokens.css";
import "./styles/code.css";
import "./styles/prose.css";

applyLooks();
const target = document.getElementById("app");
if (target) mount(App, { target });

// Browsers allow it on encrypted addresses and on the machine itself.
if (import.meta.env.PROD && window.isSecureContext && "serviceWorker" in navigator) {
  navigator.serviceWorker.register("/sw.js").catch(() => {
    // The page works without it.
  });
}
