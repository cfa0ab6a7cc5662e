/** The drawing library takes `self` away in a worker without a document, which browsers forbid; then it writes to it. */
Object.defineProperty(globalThis, "document", { value: {} });
Object.defineProperty(globalThis, "self", { value: globalThis, writable: true });
