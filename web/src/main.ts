import { mount } from "svelte";
import App from "./App.svelte";
import { applyTheme } from "./store/settings.svelte";
import "./styles/fonts.css";
import "./styles/base.css";
import "./styles/tokens.css";
import "./styles/code.css";
import "./styles/prose.css";

applyTheme();
const target = document.getElementById("app");
if (target) mount(App, { target });
