// Node.js loads this file before a web server: the server listens on a free port of 127.0.0.1, prints its address, and
// ends with its standard input.
const { Server } = require("node:net");

const { listen } = Server.prototype;
Server.prototype.listen = function (...given) {
    this.once("listening", () => console.log(`http://127.0.0.1:${this.address().port}/mcp`));
    return listen.call(this, 0, "127.0.0.1", given.find((it) => typeof it === "function"));
};
process.stdin.on("end", () => process.exit()).resume();
