/** The one menu of the page. Whoever wants one says what is in it; the shell draws it. */
export type MenuIcon =
  | "add"
  | "beside"
  | "budget"
  | "copy"
  | "end"
  | "export"
  | "find"
  | "fork"
  | "link"
  | "quote"
  | "refresh"
  | "remove"
  | "rename"
  | "send"
  | "up"
  | "down"
  | "mute"
  | "pin"
  | "raw"
  | "share"
  | "trust"
  | "undo";

export interface MenuItem {
  label: string;
  note?: string;
  icon?: MenuIcon;
  danger?: boolean;
  chosen?: boolean;
  disabled?: boolean;
  act: () => void;
}

export interface MenuContent {
  title: string;
  items: readonly MenuItem[];
  /** Where it stands on a wide screen. */
  anchor?: Element | null;
}

let offered = $state.raw<{ by: string; items: readonly MenuItem[] }>({ by: "", items: [] });
let current = $state.raw<MenuContent | undefined>(undefined);

export const menu = {
  get current() {
    return current;
  },
  open(content: MenuContent): void {
    current = content;
  },
  close(): void {
    current = undefined;
  },
  /** What can be done with what is open, for whoever looks for it elsewhere. Only of the one that is meant. */
  offered: (by: string): readonly MenuItem[] => (offered.by === by ? offered.items : []),
  offer(by: string, items: readonly MenuItem[]): void {
    offered = { by, items };
  },
  /** Something is gone: what another one offers meanwhile stays. */
  withdraw(by: string): void {
    if (offered.by === by) offered = { by: "", items: [] };
  },
};
