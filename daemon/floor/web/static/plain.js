// Pages without anything live: keys and nothing else.

import "./keys.js";
