/**
 * A bot for lictor, made from the protos alone: the messages come from proto/, the names from the server's catalog.
 *
 *   node dist/bot.js [NAME] [MATCHES] [MATCHES AT ONCE] [HOST:PORT]
 *
 * To write your own, begin with `choose`. The rest is the protocol, which play_service.proto describes.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { ProtoGrpcType as CatalogProto } from "./gen/catalog_service.js";
import type { ProtoGrpcType as PlayProto } from "./gen/play_service.js";
import type { ChoiceInput } from "./gen/lictor/v1/Choice.js";
import type { JuliusCaesarCatalog } from "./gen/lictor/v1/JuliusCaesarCatalog.js";
import type { JuliusCaesarObservation } from "./gen/lictor/v1/JuliusCaesarObservation.js";
import type { PlayResponse } from "./gen/lictor/v1/PlayResponse.js";

type Said<Kind extends keyof PlayResponse> = NonNullable<PlayResponse[Kind]>;
type Match = { seat: string; rival: string; year: number; catalog: JuliusCaesarCatalog };

// --- What the bot thinks ---

/** Play the strongest card, fire whenever possible, otherwise do anything; in each of the forms that a choice has. */
function choose({ legal }: Said<"decide">, { cards }: JuliusCaesarCatalog): ChoiceInput {
  // Typed: legal actions can be read as data, and new ones be built. Card n is row n - 1 of the catalog's cards.
  const strength = (card: number) => cards[card - 1].move + cards[card - 1].levy;
  const playable = legal.flatMap(({ action }) => action?.juliusCaesar?.playCard?.card ?? []);
  const [card] = playable.sort((a, b) => strength(b) - strength(a));
  if (card) return { action: { juliusCaesar: { playCard: { card } } } };

  // By notation: the same text as in records and logs.
  const shot = legal.find(({ notation }) => notation.startsWith("fire "));
  if (shot) return { notation: shot.notation };

  // By its place in the list, for which one need not know the game at all.
  return { index: Math.floor(Math.random() * legal.length) };
}

/** Tell what stands where: the own blocks with their steps, and how many of the enemy's. */
function board(catalog: JuliusCaesarCatalog, { ownBlocks, pieces }: JuliusCaesarObservation): string {
  // Tables are columns of equal length: row i is the i-th entry of each. Numbers are rows of the catalog's lists.
  const own = catalog.spaces.map((): string[] => []);
  ownBlocks?.space.forEach((space, i) => {
    own[space].push(`${catalog.blocks[ownBlocks.block[i]].name} (${ownBlocks.steps[i]})`);
  });
  const enemies = catalog.spaces.map(() => 0);
  pieces?.space.forEach((space, i) => (enemies[space] += pieces.number[i]));
  const lines = catalog.spaces.map(({ name }, space) => {
    const all = enemies[space] ? [...own[space], `${enemies[space]} of the enemy`] : own[space];
    return all.length ? `\n  ${name.padEnd(20)} ${all.join(", ")}` : "";
  });
  return lines.join("");
}

// --- What the protocol wants ---

const protos = loadSync(["lictor/v1/play_service.proto", "lictor/v1/catalog_service.proto"], {
  includeDirs: [join(import.meta.dirname, "../../../proto")],
  enums: String, // this and the next as in the script "generate"
  defaults: true,
});
const { lictor } = grpc.loadPackageDefinition(protos) as unknown as CatalogProto & PlayProto;

/** The request_id of what the bot cannot do without, Hello and Seek. The server repeats it in its answer. */
const VITAL = 1;

/** A reason not to connect again. */
class Stop extends Error {}

class Bot {
  private readonly results = { played: 0, won: 0, drawn: 0, lost: 0 };
  private readonly open = new Map<string, Match>();
  private readonly play;
  private readonly catalogs;
  private call!: ReturnType<typeof this.play.play>;
  private delay = 0;

  constructor(private name: string, private wanted: number, private atOnce: number, target: string) {
    const credentials = process.env.LICTOR_TLS ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
    // A dead wire is found by pings of HTTP/2. How long to wait before connecting again is for `run` to say.
    const options = { "grpc.keepalive_time_ms": 20_000, "grpc.max_reconnect_backoff_ms": 100 };
    this.play = new lictor.v1.PlayService(target, credentials, options);
    this.catalogs = new lictor.v1.CatalogService(target, credentials, options);
  }

  /** Play all matches, however often the stream ends: that never is the end of a match. */
  async run(): Promise<void> {
    while (this.results.played < this.wanted) {
      await sleep(this.delay * (1 + Math.random())); // bots that were thrown out together do not all come back at once
      this.delay = Math.min(2 * this.delay + 100, 10_000);
      await this.converse().catch((error: Error) => {
        if (error instanceof Stop) throw error;
        console.error(`connection lost: ${error.message}; trying again`);
      });
    }
    console.log(Object.entries(this.results).flat().join(" "));
  }

  /** Talk on one stream, from Hello to its end. */
  private async converse(): Promise<void> {
    this.call = this.play.play();
    this.call.on("error", () => {}); // the loop below throws it
    const { name: bot, atOnce: maxMatches } = this;
    const hello = { token: process.env.LICTOR_TOKEN, bot, protocolMin: 1, protocolMax: 1, maxMatches };
    this.call.write({ requestId: VITAL, hello });
    for await (const said of this.call as AsyncIterable<PlayResponse>) {
      if (said.ping) this.call.write({ pong: { nonce: said.ping.nonce } });
      else if (said.welcome) this.onWelcome(said.welcome);
      else if (said.matchStarted) await this.onMatchStarted(said.matchStarted);
      else if (said.decide) this.onDecide(said.decide);
      else if (said.matchEnded) this.onMatchEnded(said.matchEnded);
      else if (said.refused) this.onRefused(said.refused, said.requestId);
      else if (said.superseded) throw new Stop(`superseded: ${said.superseded.text}`);
      // All else, and whatever later servers may say, can be ignored.
    }
  }

  private onWelcome({ seats }: Said<"welcome">): void {
    this.delay = 100;
    // The matches in progress come next by themselves, each with the decision that is due: nothing is sent again.
    // A match that is not among them ended while the bot was away; asked about it, the server sends its MatchEnded.
    const going = new Set(seats.map(({ matchId }) => matchId));
    const missed = [...this.open.keys()].filter((matchId) => !going.has(matchId));
    for (const matchId of missed) this.call.write({ observe: { matchId } });
    // Seeks end with their stream: seek what is left.
    const matches = this.wanted - this.results.played - going.size - missed.length;
    if (matches > 0) this.call.write({ requestId: VITAL, seek: { game: "julius_caesar", matches } });
  }

  private async onMatchStarted(started: Said<"matchStarted">): Promise<void> {
    const { matchId, seat, entropyWanted } = started;
    // The dice come from a secret of the server's and from what both seats add: nobody alone can choose them.
    if (entropyWanted) this.call.write({ entropy: { matchId, entropy: randomBytes(32) } });
    const rival = started.seats.find((other) => other.seat !== seat)?.bot ?? "";
    console.log(`${matchId}: ${started.resumed ? "goes on" : "starts"}, ${seat} against ${rival}`);
    const known = this.open.get(matchId);
    this.open.set(matchId, known ?? { seat, rival, year: 0, catalog: await this.catalogOf(started) });
  }

  /** Get the names behind the numbers: they depend on the game and its options. */
  private catalogOf({ game, options }: Said<"matchStarted">): Promise<JuliusCaesarCatalog> {
    return new Promise((resolve, reject) => {
      this.catalogs.getCatalog({ game, options }, { deadline: Date.now() + 10_000 }, (error, answer) => {
        const catalog = answer?.catalog?.juliusCaesar;
        catalog ? resolve(catalog) : reject(error ?? new Stop(`this bot does not play ${game}`));
      });
    });
  }

  private onDecide(decide: Said<"decide">): void {
    const { matchId, decisionId } = decide;
    const match = this.open.get(matchId)!; // a match is announced before it asks, on every stream
    this.call.write({ act: { matchId, decisionId, actions: [choose(decide, match.catalog)] } });
    const position = decide.observation!.juliusCaesar!;
    if (position.year === match.year) return;
    match.year = position.year;
    const points = `Caesar ${position.caesarPoints}, Pompey ${position.pompeyPoints}`;
    console.log(`${matchId}: ${match.seat}'s board in ${match.year} (${points})${board(match.catalog, position)}`);
  }

  private onMatchEnded({ matchId, termination }: Said<"matchEnded">): void {
    const match = this.open.get(matchId);
    if (!match || !termination) return;
    this.open.delete(matchId);
    const result = termination.winner === match.seat ? "won" : termination.winner ? "lost" : "drawn";
    this.results[result] += 1;
    this.results.played += 1;
    console.log(`${matchId}: ${result} as ${match.seat} against ${match.rival}: ${termination.text}`);
    if (this.results.played === this.wanted) this.call.write({ leave: {} }); // and the server ends the stream
  }

  private onRefused({ text, reason, retryAfterMs, matchId, decisionId }: Said<"refused">, requestId: number): void {
    console.error(`refused: ${text}`);
    if (retryAfterMs) {
      this.delay = retryAfterMs;
      this.call.cancel(); // to begin anew is the simplest way to try again
    } else if (requestId === VITAL) {
      throw new Stop("the server does not take this bot");
    } else if (reason === "REFUSAL_REASON_ILLEGAL_ACTION") {
      this.call.write({ act: { matchId, decisionId, actions: [{ index: 0 }] } }); // the decision is still open
    } else if (reason === "REFUSAL_REASON_UNKNOWN_MATCH" && this.open.delete(matchId)) {
      this.call.cancel(); // the server has lost the match: seek another
    }
  }
}

const [name = "typescript", matches = "1", atOnce = "1", target = process.env.LICTOR_TARGET] = process.argv.slice(2);
await new Bot(name, Number(matches), Number(atOnce), target ?? "127.0.0.1:50051").run().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
