import type { CallerSide } from "../model/caller-side.ts";

/** Who has calls open at one server: whom its questions may be meant for. */
export interface OpenCallers {
  /** Notes a call. What its caller cannot do itself, progress and questions, goes the host's way only where no side is given. */
  readonly open: (side: CallerSide | undefined) => { readonly side: CallerSide; readonly close: () => void };
  /**
   * Whom a question of the server is for that names no call, as in revisions before 2026-07-28: the one caller with an open
   * call. Of several nobody can say which is meant, and none may answer for another.
   */
  readonly current: () => CallerSide;
  readonly isAnyOpen: () => boolean;
}

/** @param own the host's own person, for calls without a side and where no call is open */
export function createOpenCallers(own: CallerSide): OpenCallers {
  const open = new Map<CallerSide, number>();
  return {
    open: (side = own) => {
      open.set(side, (open.get(side) ?? 0) + 1);
      let isOpen = true;
      return {
        side,
        close: () => {
          const left = (open.get(side) ?? 0) - 1;
          if (isOpen && left > 0) open.set(side, left);
          else if (isOpen) open.delete(side);
          isOpen = false;
        },
      };
    },
    isAnyOpen: () => open.size > 0,
    current: () => {
      const [side = own, ...others] = open.keys();
      return others.length === 0 ? side : {};
    },
  };
}
