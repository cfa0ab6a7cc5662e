/** What a `Picker` offers. */
export interface PickItem {
  /** Tells items with the same label apart. */
  key?: string;
  label: string;
  note?: string;
  chosen?: boolean;
  danger?: boolean;
  /** It is there whatever was typed. */
  always?: boolean;
  /** The list stays open: there is more to choose. */
  stays?: boolean;
  act: () => void;
}

export interface PickGroup {
  label?: string;
  items: readonly PickItem[];
}
