// A page that shows nothing live itself: it still says when it hears nothing, and sounds alarms.

import { Bar } from "./bar.js";
import { heed } from "./heed.js";
import "./keys.js";
import { Live } from "./live.js";

const live = new Live((what, key) => {
  heed(live, bar, what, key);
  bar.update(what);
});
const bar = new Bar(live);
