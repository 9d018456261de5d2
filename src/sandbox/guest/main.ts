import type { GuestHooks } from "../guest-contract.ts";
import { installAbort } from "./abort.ts";
import {
  callMCPTool,
  deliver,
  type HostFunction,
  installDoor,
  limitArguments,
  stackOfCall,
} from "./bridge.ts";
import { clockReads, installClock, startClock } from "./clock.ts";
import { installClone } from "./clone.ts";
import { installConsole } from "./console.ts";
import { describe } from "./describe.ts";
import { installEncoding } from "./encoding.ts";
import { MCPToolError } from "./errors.ts";
import { installFiles } from "./files.ts";
import { fromJsonText, installJson } from "./json.ts";
import { fail, follow, thrownValue, valueText } from "./outcome.ts";
import { defineGlobal, defineMember, defineProperty } from "./primordials.ts";
import { installRandom } from "./random.ts";
import { attachRegisters } from "./registers.ts";
import { callerStack } from "./stack.ts";
import { installTimers } from "./timers.ts";

/**
 * The guest library: evaluated once in each fresh instance, before the script. It takes the host function away from
 * the global object and puts in its place what a script may use.
 */
const holder = globalThis as unknown as { callMCPTool: HostFunction; mcpfsHooks?: GuestHooks };

let args: unknown;

installDoor(holder.callMCPTool);
installClock();
installTimers();
installAbort();
installClone();
installEncoding();
installConsole();
installFiles();
defineGlobal("callMCPTool", callMCPTool);
defineGlobal("tool", (name: string) => (input?: unknown) => callMCPTool(name, input));
defineGlobal("mcp", Object.freeze({ callTool: callMCPTool }));
defineGlobal("MCPToolError", MCPToolError);

// The engine compiles template literals to calls of this method, also those of this library.
defineProperty(String.prototype, "concat", { writable: false, configurable: false });

// What `using` asks for; the engine has no such symbols yet, and the bundler lowers the rest.
for (const name of ["dispose", "asyncDispose"]) defineMember(Symbol, name, Symbol(`Symbol.${name}`), false);

holder.mcpfsHooks = {
  attach: attachRegisters,
  start: (nonce, seed, nowMs, argsText, mark, argumentBytes) => {
    installJson(nonce);
    installRandom(seed);
    startClock(nowMs);
    limitArguments(argumentBytes);
    args = fromJsonText(argsText, mark);
    defineGlobal("args", args);
  },
  follow: () => void follow(args),
  fail: (thrown) => void fail(thrown),
  deliver,
  describe,
  valueText,
  thrownValue,
  clockReads,
  stack: callerStack,
  stackOfCall,
};
