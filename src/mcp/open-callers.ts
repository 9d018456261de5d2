import type { CallerSide } from "../model/caller-side.ts";

/** Who has calls open at one server: whom its questions may be meant for. */
export interface OpenCallers {
  /** Notes a call. What its caller cannot do itself, progress and questions, goes the host's way only where no side is given. */
  readonly open: (side: CallerSide | undefined) => { readonly side: CallerSide; readonly close: () => void };
  /**
   * Whom a question of the server is for that names no call, as in revisions before 2026-07-28: the one caller with open
   * calls, by way of the newest. Of several nobody can say which is meant, and none may answer for another.
   */
  readonly current: () => CallerSide;
  readonly isAnyOpen: () => boolean;
}

/** @param own the host's own person, for calls without a side and where no call is open */
export function createOpenCallers(own: CallerSide): OpenCallers {
  /** Of each caller the sides of its open calls, the newest last. */
  const open = new Map<object, CallerSide[]>();
  return {
    open: (side = own) => {
      const caller = side.client ?? side;
      const sides = open.get(caller) ?? [];
      open.set(caller, [...sides, side]);
      let isOpen = true;
      return {
        side,
        close: () => {
          if (!isOpen) return;
          isOpen = false;
          const left = [...(open.get(caller) ?? [])];
          left.splice(left.indexOf(side), 1);
          if (left.length > 0) open.set(caller, left);
          else open.delete(caller);
        },
      };
    },
    isAnyOpen: () => open.size > 0,
    current: () => {
      const [sides = [own], ...others] = open.values();
      return others.length === 0 ? (sides.at(-1) ?? own) : {};
    },
  };
}
