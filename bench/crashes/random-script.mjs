/** A generator of numbers in [0, 1) from a seed (mulberry32, Tommy Ettinger, public domain). */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A script of 1–50 calls, some one after the other, some at the same time, with what scripts do besides: files, timers, console,
 * failures that are caught. Its value depends on no clock, no random number and no order of answers.
 * @returns its text, and the keys of the calls that change something and do not say that they may be repeated
 */
export function randomScript(random) {
  const whole = (below) => Math.floor(random() * below);
  const effects = [];
  let calls = 1 + whole(50);
  let keys = 0;

  const call = () => {
    calls -= 1;
    keys += 1;
    const key = `k${keys}`;
    const kind = random();
    const tool = kind < 0.55 ? "add" : kind < 0.7 ? "put" : kind < 0.92 ? "get" : "fail";
    if (tool === "add") effects.push(key);
    const ms = whole(4) === 0 ? whole(25) : whole(4);
    const made = `box_${tool}({ run, key: "${key}", ms: ${ms}, late: ${random() < 0.5} })`;
    return tool === "fail" ? `${made}.catch((error) => error.code)` : made;
  };
  const chain = (length) => {
    const steps = Array.from({ length }, () => `got.push(await ${call()});`);
    return `(async () => { const got = []; ${steps.join(" ")} return got; })()`;
  };
  const statement = () => {
    const kind = random();
    if (kind < 0.4) return `out.push(await ${call()});`;
    if (kind < 0.6) {
      const parts = Array.from({ length: Math.min(calls, 2 + whole(8)) }, call);
      return `out.push(await Promise.all([${parts.join(", ")}]));`;
    }
    if (kind < 0.75) {
      const parts = [];
      for (let count = 2 + whole(3); count > 0 && calls > 0; count -= 1)
        parts.push(chain(Math.min(calls, 1 + whole(4))));
      return `out.push(await Promise.all([${parts.join(", ")}]));`;
    }
    if (kind < 0.83) return `console.log("step", out.length);`;
    if (kind < 0.89) return `await new Promise((resolve) => setTimeout(resolve, ${whole(10)}));`;
    if (kind < 0.95) return `await fs.appendFile(file, "${whole(10)}\\n");`;
    return `out.push((await fs.readFile(file, "utf8").catch(() => "")).length);`;
  };

  const lines = [];
  while (calls > 0) lines.push(statement());
  const text = [
    "const { run } = args;",
    "const file = `./workspace/" + "$" + "{run}.txt`;",
    "const out = [];",
    ...lines,
    'export default [out, await fs.readFile(file, "utf8").catch(() => "")];',
  ].join("\n");
  return { text, effects };
}
