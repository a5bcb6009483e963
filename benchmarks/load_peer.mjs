// boardgame.io's server with its tic-tac-toe, measured like ours: two people per match, each with a socket of their own.
// `serve PORT` is the server, `drive PORT PROCESS MATCHES SECONDS PACE FILE` the players, who write their figures into a
// file; load.py runs both in a temporary folder.
// A full board is cleared and no line wins, so that a match does not end; everything else is the tutorial's game.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.cwd()}/`);
const NAME = "tic-tac-toe";
const CELLS = 9;
const SETTLING_MS = 2000;

const game = {
  name: NAME,
  setup: () => ({ cells: Array(CELLS).fill(null) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    clickCell: ({ G, playerID }, id) => {
      if (G.cells[id] !== null) return "INVALID_MOVE";
      G.cells[id] = playerID;
      if (G.cells.every((cell) => cell !== null)) G.cells.fill(null);
    },
  },
};

async function serve(port) {
  const { Server, Origins } = require("boardgame.io/server");
  await Server({ games: [game], origins: [Origins.LOCALHOST] }).run(port);
  console.log(process.pid);
}

class Load {
  constructor(port, matches, pace) {
    Object.assign(this, { port, matches, pace, isAtOnce: false, isMeasuring: false, waiting: new Set() });
    this.allSeated = new Promise((resolve) => (this.start = resolve));
    this.sent = new Map();
    this.seen = new Map();
    this.delays = [];
  }

  async sitDown() {
    const { io } = require("socket.io-client");
    const seats = [];
    for (let match = 0; match < this.matches; match += 1) {
      for (const player of ["0", "1"]) seats.push(this.seat(io, `m${match}`, player));
      if (match % 50 === 49) await Promise.all(seats);
    }
    await Promise.all(seats);
    this.start();
  }

  seat(io, match, player) {
    const socket = io(`http://127.0.0.1:${this.port}/${NAME}`, { transports: ["websocket"], forceNew: true });
    socket.on("connect", () => socket.emit("sync", match, player, undefined, 2));
    socket.on("update", (id, state) => this.arrived(socket, id, player, state));
    return new Promise((resolve) => {
      socket.on("sync", (id, info) => {
        resolve();
        this.allSeated.then(() => this.look(socket, id, player, info.state));
      });
    });
  }

  arrived(socket, match, player, state) {
    const key = `${match} ${state._stateID}`;
    if (this.seen.delete(key)) {
      if (this.isMeasuring && this.sent.has(key)) this.delays.push(performance.now() - this.sent.get(key));
      this.sent.delete(key);
    } else this.seen.set(key, true);
    this.look(socket, match, player, state);
  }

  look(socket, match, player, state) {
    if (state.ctx.currentPlayer !== player) return;
    const play = () => {
      this.waiting.delete(play);
      clearTimeout(timer);
      const payload = { type: "clickCell", args: [state.G.cells.indexOf(null)], playerID: player };
      this.sent.set(`${match} ${state._stateID + 1}`, performance.now());
      socket.emit("update", { type: "MAKE_MOVE", payload }, state._stateID, match, player);
    };
    this.waiting.add(play);
    const timer = setTimeout(play, this.isAtOnce ? 0 : Math.random() * 2 * this.pace * 1000);
  }

  playAtOnce() {
    this.isAtOnce = true;
    for (const play of [...this.waiting]) play();
  }

  async measure(seconds, server) {
    this.delays = [];
    const [start, used] = [performance.now(), processorSeconds(server)];
    this.isMeasuring = true;
    await pause(seconds * 1000);
    this.isMeasuring = false;
    const elapsed = (performance.now() - start) / 1000;
    return { delays_ms: this.delays, elapsed, server_seconds: processorSeconds(server) - used };
  }
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function drive(port, server, matches, seconds, pace, file) {
  const load = new Load(port, matches, pace);
  const start = performance.now();
  await load.sitDown();
  const figures = [{ seconds: (performance.now() - start) / 1000 }];
  await pause(SETTLING_MS);
  figures.push(await load.measure(seconds, server));
  load.playAtOnce();
  await pause(SETTLING_MS);
  figures.push(await load.measure(seconds, server));
  writeFileSync(file, JSON.stringify(figures)); // standard output would be cut off at exit beyond a pipe's buffer
  process.exit(0);
}

const [role, ...given] = process.argv.slice(2);
await (role === "serve" ? serve : drive)(...given.map((value) => (isNaN(value) ? value : Number(value))));
