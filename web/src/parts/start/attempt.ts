/** Tries to begin the same session have the same name, so that a message whose answer was lost is not said twice. */
import { uuid } from "../../link/uuid";

export class Attempt {
  private last: { readonly what: readonly unknown[]; readonly id: string } | undefined;

  /** Something else is another message: under the old name it would be refused, or taken for what went before. */
  of(...what: readonly unknown[]): string {
    const { last } = this;
    if (last && what.every((one, at) => one === last.what[at])) return last.id;
    this.last = { what, id: uuid() };
    return this.last.id;
  }

  done(): void {
    this.last = undefined;
  }
}
