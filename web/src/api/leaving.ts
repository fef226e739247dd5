let reasons = 0;

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** While something is under way that ends with the page, the browser asks before it is closed. */
export async function askingBeforeLeaving<T>(work: () => Promise<T>): Promise<T> {
  reasons += 1;
  addEventListener('beforeunload', ask);
  try {
    return await work();
  } finally {
    reasons -= 1;
    if (reasons === 0) removeEventListener('beforeunload', ask);
  }
}
